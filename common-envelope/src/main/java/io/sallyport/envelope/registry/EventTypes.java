package io.sallyport.envelope.registry;

import io.sallyport.proto.log.v1.EventType;
import java.util.List;

/** The event types that a new cell starts with; more are added at run time, one record in `event-types` each. */
public final class EventTypes {
    public static final int SENSOR_START = 1;
    public static final int SENSOR_STOP = 2;
    public static final int SENSOR_HEARTBEAT = 3;
    public static final int PROCESS_START = 4;
    public static final int PROCESS_END = 5;
    public static final int PROCESS_HEARTBEAT = 6;
    public static final int FILE_WRITTEN = 7;
    public static final int FILE_MODIFIED = 8;
    public static final int FILE_DELETED = 9;
    public static final int NETWORK_CONNECT_IN = 10;
    public static final int NETWORK_CONNECT_OUT = 11;

    private EventTypes() {}

    /** The eleven seeded types, in order of their number. */
    public static List<EventType> seeded() {
        return List.of(
                type(SENSOR_START, "SensorStart", false),
                type(SENSOR_STOP, "SensorStop", true),
                type(SENSOR_HEARTBEAT, "SensorHeartbeat", true),
                type(PROCESS_START, "ProcessStart", true),
                type(PROCESS_END, "ProcessEnd", true),
                type(PROCESS_HEARTBEAT, "ProcessHeartbeat", true),
                type(FILE_WRITTEN, "FileWritten", true),
                type(FILE_MODIFIED, "FileModified", true),
                type(FILE_DELETED, "FileDeleted", true),
                type(NETWORK_CONNECT_IN, "NetworkConnectIn", true),
                type(NETWORK_CONNECT_OUT, "NetworkConnectOut", true));
    }

    private static EventType type(int number, String name, boolean inBatch) {
        return EventType.newBuilder()
                .setNumber(number)
                .setName(name)
                .setInBatch(inBatch)
                .build();
    }
}
