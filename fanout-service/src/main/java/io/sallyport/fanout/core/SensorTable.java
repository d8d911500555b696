package io.sallyport.fanout.core;

import io.sallyport.fanout.core.Selector.FieldRef;
import io.sallyport.proto.link.v1.HostMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All known sensors of one customer, one row each. A string that a sensor left empty counts as missing, since the link
 * cannot tell the two apart; a tag's value may be empty. Not thread-safe: {@link MetadataIndex} guards it.
 */
final class SensorTable {
    private static final int NO_NODE = -1;
    private static final long NEVER = 0;

    private final Map<String, Integer> rows = new HashMap<>();
    private final List<Integer> free = new ArrayList<>();
    private final EnumMap<Field, Column<String>> texts = new EnumMap<>(Field.class);
    private final Column<List<String>> capabilities = new Column<>();
    private final Map<String, Column<String>> tags = new HashMap<>();
    private @Nullable String[] ids = new String[16];
    /** Version of the metadata that the row holds; 0 is a registration. */
    private long[] versions = new long[16];

    private boolean[] described = new boolean[16];
    private long[] metadataAtUs = new long[16];
    private long[] sessions = new long[16];
    private long[] sessionAtUs = new long[16];
    private int[] nodes = new int[16];
    /** Rows in order of their ids; null where a row came or went since. */
    private volatile int @Nullable [] ordered;

    SensorTable() {
        for (Field field : Field.values()) {
            if (field != Field.TAG && (field.kind() == Field.Kind.TEXT || field.kind() == Field.Kind.VERSION)) {
                texts.put(field, new Column<>());
            }
        }
    }

    int size() {
        return rows.size();
    }

    boolean contains(String sensorId) {
        return rows.containsKey(sensorId);
    }

    /** The row of a sensor, or -1. */
    int row(String sensorId) {
        return rows.getOrDefault(sensorId, -1);
    }

    String id(int row) {
        String id = ids[row];
        if (id == null) {
            throw new IllegalStateException("row " + row + " is free");
        }
        return id;
    }

    /** The newest version wins, whatever order versions arrive in. */
    void describe(String sensorId, long version, HostMetadata host, long atUs) {
        int row = rowFor(sensorId);
        if (described[row] && Long.compareUnsigned(version, versions[row]) < 0) {
            return;
        }
        described[row] = true;
        versions[row] = version;
        metadataAtUs[row] = version == 0 ? NEVER : atUs;
        fill(row, host);
    }

    /** A version was retired; only the one that the row holds matters. */
    void retire(String sensorId, long version) {
        int row = row(sensorId);
        if (row >= 0 && described[row] && versions[row] == version) {
            described[row] = false;
            metadataAtUs[row] = NEVER;
            fill(row, HostMetadata.getDefaultInstance());
            removeIfUnknown(row);
        }
    }

    /** @param node that holds the session; empty where it ended */
    void session(String sensorId, long sessionId, boolean connected, int node, long atUs) {
        int row = rowFor(sensorId);
        if (Long.compareUnsigned(sessionId, sessions[row]) < 0) {
            return;
        }
        sessions[row] = sessionId;
        sessionAtUs[row] = atUs;
        nodes[row] = connected ? node : NO_NODE;
    }

    void forgetSession(String sensorId) {
        int row = row(sensorId);
        if (row >= 0) {
            sessions[row] = 0;
            sessionAtUs[row] = NEVER;
            nodes[row] = NO_NODE;
            removeIfUnknown(row);
        }
    }

    boolean isConnected(int row, NodeLife life) {
        return nodes[row] != NO_NODE && life.isAlive(nodes[row]);
    }

    /** 0: never. A connected sensor is seen now. */
    long lastSeenUs(int row, NodeLife life) {
        return isConnected(row, life) ? life.nowUs() : Math.max(sessionAtUs[row], metadataAtUs[row]);
    }

    /** The column of a text or version field; null for a tag key that no sensor has. */
    @Nullable
    Column<String> column(FieldRef field) {
        return field.field() == Field.TAG ? tags.get(field.tagKey()) : texts.get(field.field());
    }

    Column<List<String>> capabilities() {
        return capabilities;
    }

    /** Value of a text field, or the empty string. */
    String text(int row, Field field) {
        Column<String> column = texts.get(field);
        String value = column == null ? null : column.get(row);
        return value == null ? "" : value;
    }

    List<String> capabilities(int row) {
        List<String> held = capabilities.get(row);
        return held == null ? List.of() : held;
    }

    Map<String, String> tags(int row) {
        var found = new TreeMap<String, String>();
        tags.forEach((key, column) -> {
            String value = column.get(row);
            if (value != null) {
                found.put(key, value);
            }
        });
        return found;
    }

    /** Rows in order of their ids. Callers must not change it. */
    int[] ordered() {
        int[] known = ordered;
        if (known != null) {
            return known;
        }
        String[] sorted = rows.keySet().toArray(String[]::new);
        Arrays.parallelSort(sorted);
        var order = new int[sorted.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = row(sorted[i]);
        }
        ordered = order;
        return order;
    }

    private int rowFor(String sensorId) {
        Integer known = rows.get(sensorId);
        if (known != null) {
            return known;
        }
        int row = free.isEmpty() ? rows.size() : free.remove(free.size() - 1);
        if (row == ids.length) {
            grow(row * 2);
        }
        ids[row] = sensorId;
        nodes[row] = NO_NODE;
        rows.put(sensorId, row);
        ordered = null;
        return row;
    }

    private void removeIfUnknown(int row) {
        if (!described[row] && sessions[row] == 0) {
            rows.remove(id(row));
            ids[row] = null;
            free.add(row);
            ordered = null;
        }
    }

    private void fill(int row, HostMetadata host) {
        set(row, Field.HOSTNAME, host.getHostname());
        set(row, Field.OS_FAMILY, host.getOsFamily());
        set(row, Field.OS_NAME, host.getOsName());
        set(row, Field.OS_VERSION, host.getOsVersion());
        set(row, Field.OS_BUILD, host.getOsBuild());
        set(row, Field.ARCH, host.getArch());
        set(row, Field.DEVICE_CLASS, host.getDeviceClass());
        set(row, Field.AGENT_VERSION, host.getAgentVersion());
        set(row, Field.POLICY, host.getPolicyId());
        set(row, Field.CONFIG_HASH, host.getConfigHash());
        var held = List.copyOf(new TreeSet<>(host.getCapabilitiesList()));
        capabilities.set(row, held.isEmpty() ? null : held);
        tags.entrySet().removeIf(entry -> {
            entry.getValue().set(row, host.getTagsMap().get(entry.getKey()));
            return entry.getValue().isEmpty();
        });
        host.getTagsMap()
                .forEach((key, value) ->
                        tags.computeIfAbsent(key, k -> new Column<>()).set(row, value));
    }

    private void set(int row, Field field, String value) {
        Column<String> column = texts.get(field);
        if (column != null) {
            column.set(row, value.isEmpty() ? null : value);
        }
    }

    private void grow(int capacity) {
        ids = Arrays.copyOf(ids, capacity);
        versions = Arrays.copyOf(versions, capacity);
        described = Arrays.copyOf(described, capacity);
        metadataAtUs = Arrays.copyOf(metadataAtUs, capacity);
        sessions = Arrays.copyOf(sessions, capacity);
        sessionAtUs = Arrays.copyOf(sessionAtUs, capacity);
        nodes = Arrays.copyOf(nodes, capacity);
    }
}
