package io.sallyport.fanout.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is known of every sensor, per customer: the newest version of its metadata and its session. Versions that were
 * replaced stay in their topic. Thread-safe; a customer's readers only wait for that customer's writer.
 */
public final class MetadataIndex {

    private static final class Guarded {
        final SensorTable table = new SensorTable();
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    }

    private final Map<String, Guarded> customers = new ConcurrentHashMap<>();
    private final Map<Integer, Long> nodeSignsUs = new ConcurrentHashMap<>();

    public void describe(SensorKey sensor, EndpointMetadata metadata) {
        write(
                sensor,
                table -> table.describe(
                        sensor.sensorId(), metadata.getVersion(), metadata.getHost(), metadata.getAtUs()));
    }

    /** A version of a sensor's metadata was deleted from the topic. */
    public void retire(SensorKey sensor, long version) {
        write(sensor, table -> table.retire(sensor.sensorId(), version));
    }

    public void session(SensorKey sensor, SessionEntry entry) {
        boolean connected = entry.getState() == SessionState.SESSION_CONNECTED;
        write(
                sensor,
                table -> table.session(
                        sensor.sensorId(), entry.getSessionId(), connected, entry.getNode(), entry.getAtUs()));
    }

    public void forgetSession(SensorKey sensor) {
        write(sensor, table -> table.forgetSession(sensor.sensorId()));
    }

    public void nodeSign(int node, long atUs) {
        nodeSignsUs.merge(node, atUs, Math::max);
    }

    public boolean knows(String customerId, String sensorId) {
        return read(customerId, false, table -> table.contains(sensorId));
    }

    /** Those of {@code sensorIds} that are known, in their order. */
    public List<String> known(String customerId, List<String> sensorIds) {
        return read(
                customerId,
                List.of(),
                table -> sensorIds.stream().filter(table::contains).toList());
    }

    public int size(String customerId) {
        return read(customerId, 0, SensorTable::size);
    }

    public int size() {
        return customers.keySet().stream().mapToInt(this::size).sum();
    }

    public SensorSet fleet(String customerId) {
        return read(customerId, SensorSet.EMPTY, table -> select(table, row -> Truth.TRUE));
    }

    /** The sensors for which the selector is true; neither those where it is false nor those where it is unknown. */
    public Answer<SensorSet> select(String customerId, Selector selector, long nowUs) {
        var life = new NodeLife(nodeSignsUs, nowUs);
        Guarded guarded = customers.get(customerId);
        if (guarded == null) {
            // No sensor, so no tag key either; an empty table says so.
            return new SelectorCompiler(new SensorTable(), life)
                    .compile(selector)
                    .map(test -> SensorSet.EMPTY);
        }
        return read(
                customerId,
                Answer.of(SensorSet.EMPTY),
                table -> new SelectorCompiler(table, life).compile(selector).map(test -> select(table, test)));
    }

    /** What is known of sensors of a set, in its order; those that were removed since are left out. */
    public List<SensorView> views(String customerId, List<String> sensorIds, long nowUs) {
        var life = new NodeLife(nodeSignsUs, nowUs);
        return read(customerId, List.of(), table -> {
            var views = new ArrayList<SensorView>();
            for (String id : sensorIds) {
                int row = table.row(id);
                if (row >= 0) {
                    views.add(SensorView.of(table, row, life));
                }
            }
            return views;
        });
    }

    /** Those with a live session before all others, both in order of their ids. */
    Plan connectedFirst(String customerId, SensorSet sensors, long nowUs) {
        List<String> ids = sensors.range(0, sensors.size());
        if (ids.size() <= 1) {
            return new Plan(ids, 0);
        }
        var life = new NodeLife(nodeSignsUs, nowUs);
        return read(customerId, new Plan(ids, 0), table -> {
            var ordered = new ArrayList<String>(ids.size());
            var away = new ArrayList<String>(ids.size());
            for (String id : ids) {
                int row = table.row(id);
                (row >= 0 && table.isConnected(row, life) ? ordered : away).add(id);
            }
            int connected = ordered.size();
            ordered.addAll(away);
            return new Plan(ordered, connected);
        });
    }

    private static SensorSet select(SensorTable table, RowTest test) {
        int[] ordered = table.ordered();
        var ids = new String[ordered.length];
        int count = 0;
        for (int row : ordered) {
            if (test.test(row) == Truth.TRUE) {
                ids[count++] = table.id(row);
            }
        }
        return SensorSet.ofSorted(ids, count);
    }

    private <R> R read(String customerId, R none, Function<SensorTable, R> reader) {
        Guarded guarded = customers.get(customerId);
        if (guarded == null) {
            return none;
        }
        guarded.lock.readLock().lock();
        try {
            return reader.apply(guarded.table);
        } finally {
            guarded.lock.readLock().unlock();
        }
    }

    private void write(SensorKey sensor, Consumer<SensorTable> writer) {
        Guarded guarded = customers.computeIfAbsent(sensor.customerId(), id -> new Guarded());
        guarded.lock.writeLock().lock();
        try {
            writer.accept(guarded.table);
        } finally {
            guarded.lock.writeLock().unlock();
        }
    }
}
