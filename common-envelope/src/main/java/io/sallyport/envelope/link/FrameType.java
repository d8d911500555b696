package io.sallyport.envelope.link;

import java.util.Optional;

/** The frames of the sensor link, version 1, with who may send them. */
public enum FrameType {
    SENSOR_START(0x01, true, false),
    ACCEPT(0x02, false, true),
    REJECT(0x03, false, true),
    BATCH(0x04, true, false),
    ACK(0x05, false, true),
    SKIP(0x06, true, false),
    DRAIN(0x07, false, true),
    MESSAGE(0x08, false, true),
    MESSAGE_ACK(0x09, true, false),
    MESSAGE_NACK(0x0A, true, false),
    PING(0x0B, true, true),
    PONG(0x0C, true, true),
    STATS(0x0D, true, false);

    /** Bytes of the length field in front of each frame. */
    public static final int LENGTH_BYTES = 4;

    private static final FrameType[] BY_CODE = new FrameType[0x0E];

    static {
        for (FrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final boolean fromSensor;
    private final boolean fromGateway;

    FrameType(int code, boolean fromSensor, boolean fromGateway) {
        this.code = code;
        this.fromSensor = fromSensor;
        this.fromGateway = fromGateway;
    }

    /** The type of a code, empty where version 1 has no such frame. */
    public static Optional<FrameType> of(int code) {
        return code > 0 && code < BY_CODE.length ? Optional.ofNullable(BY_CODE[code]) : Optional.empty();
    }

    public byte code() {
        return (byte) code;
    }

    public boolean isFromSensor() {
        return fromSensor;
    }

    public boolean isFromGateway() {
        return fromGateway;
    }
}
