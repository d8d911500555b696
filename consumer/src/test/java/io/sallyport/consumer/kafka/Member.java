package io.sallyport.consumer.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.consumer.Position;
import io.sallyport.consumer.RecordHandler;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A consumer on a thread of its own, whose handler keeps what it got of one sensor, and may fail. */
final class Member implements AutoCloseable {
    /** What the handler does beside remembering. */
    interface Behaviour {
        void before(Envelope event) throws Exception;

        /** Other tests replay other shards of the same log. */
        default boolean minds(int shard) {
            return false;
        }

        default void beforeReplaced() throws Exception {}
    }

    final List<String> seen = new CopyOnWriteArrayList<>();
    final List<Position> positions = new CopyOnWriteArrayList<>();
    final List<ShardTakeover> takeovers = new CopyOnWriteArrayList<>();
    final Set<Integer> shards = ConcurrentHashMap.newKeySet();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StructuredConsumer consumer;
    private final Thread thread;
    private volatile Throwable failure;

    Member(ConsumerSettings settings, String sensorPrefix, Behaviour behaviour) {
        consumer = new StructuredConsumer(settings, new Handler(sensorPrefix, behaviour), registry);
        thread = new Thread(
                () -> {
                    try {
                        consumer.run();
                    } catch (Throwable e) {
                        failure = e;
                    }
                },
                settings.group());
        thread.start();
    }

    double count(String name, String... tags) {
        Counter counter = registry.find(name).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    double retentionUsed() {
        Gauge gauge = registry.find("sallyport.consumer.retention.used").gauge();
        return gauge == null ? -1 : gauge.value();
    }

    Throwable failure() {
        return failure;
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    @Override
    public void close() {
        consumer.close();
    }

    private final class Handler implements RecordHandler {
        private final String prefix;
        private final Behaviour behaviour;

        Handler(String prefix, Behaviour behaviour) {
            this.prefix = prefix;
            this.behaviour = behaviour;
        }

        @Override
        public void event(Envelope event, Position at) throws Exception {
            if (event.getSensorId().startsWith(prefix)) {
                behaviour.before(event);
                seen.add(event.getSensorId() + " " + at.generation() + ":" + event.getSeq());
                positions.add(at);
            }
        }

        @Override
        public void marker(CoverageMarker marker, Position at) {
            if (marker.getSensorId().startsWith(prefix)) {
                seen.add(marker.getSensorId() + " " + marker.getReason());
            }
        }

        @Override
        public void replaced(int shard, ShardTakeover takeover) throws Exception {
            if (!behaviour.minds(shard)) {
                return;
            }
            behaviour.beforeReplaced();
            takeovers.add(takeover);
            seen.add("replaced from " + takeover.fromOffset());
        }

        @Override
        public void assigned(int shard) {
            shards.add(shard);
        }

        @Override
        public void revoked(int shard) {
            shards.remove(shard);
        }
    }
}
