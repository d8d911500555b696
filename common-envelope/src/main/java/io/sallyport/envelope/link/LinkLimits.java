package io.sallyport.envelope.link;

/**
 * The limits of the sensor link, as the gateway tells them in ACCEPT.
 *
 * @param maxFrameBytes largest frame, its type byte included and its length field not
 * @param maxBatchEvents most events in one block; at most 65,535
 * @param maxEventBytes largest payload of one event
 * @param maxBatchBytes largest event block once decompressed
 * @param maxAckRanges most ranges above the watermark, batches in flight counted
 * @param maxUnackedEvents most events a sensor has sent and not seen acknowledged
 */
public record LinkLimits(
        int maxFrameBytes,
        int maxBatchEvents,
        int maxEventBytes,
        int maxBatchBytes,
        int maxAckRanges,
        int maxUnackedEvents) {

    public static final LinkLimits DEFAULTS = new LinkLimits(1_048_576, 512, 65_536, 4_194_304, 1_024, 1_024);

    /** Largest SENSOR_START, and so largest frame before ACCEPT. */
    public static final int MAX_START_FRAME_BYTES = 16_384;
    /** Largest window a zstd frame may ask for. */
    public static final long MAX_ZSTD_WINDOW_BYTES = 8L << 20;
    /** Widest range of one SKIP. */
    public static final long MAX_SKIP_WIDTH = 1L << 20;
    /** Largest body of a PING. */
    public static final int MAX_PING_BYTES = 64;
    /** Longest pause that an ACK may ask for. */
    public static final int MAX_THROTTLE_MS = 60_000;
    /** Longest string of HostMetadata, in bytes. */
    public static final int MAX_HOST_STRING_BYTES = 256;
    /** Most tags, and most capabilities, of HostMetadata. */
    public static final int MAX_HOST_ENTRIES = 64;

    public LinkLimits {
        if (maxFrameBytes < MAX_START_FRAME_BYTES
                || maxBatchEvents < 1
                || maxBatchEvents > 0xFFFF
                || maxEventBytes < 1
                || maxBatchBytes < maxEventBytes + EventCursor.HEADER_BYTES
                || maxAckRanges < 1
                || maxUnackedEvents < 1) {
            throw new IllegalArgumentException("link limits contradict each other or the frame format");
        }
    }
}
