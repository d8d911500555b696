package io.sallyport.sim.core;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.Accept;

/** What ACCEPT allows; a value of 0 means the default of the contract. */
record SessionLimits(int maxFrameBytes, int maxBatchEvents, int maxBatchBytes, int maxUnackedEvents, int keepaliveMs) {
    private static final int DEFAULT_KEEPALIVE_MS = 60_000;
    private static final int TYPE_BYTES = 1;
    /** zstd never grows a block by more than this share and constant. */
    private static final int ZSTD_GROWTH_SHIFT = 8;

    private static final int ZSTD_GROWTH_BYTES = 1_024;

    static SessionLimits of(Accept accept) {
        LinkLimits defaults = LinkLimits.DEFAULTS;
        return new SessionLimits(
                orDefault(accept.getMaxFrameBytes(), defaults.maxFrameBytes()),
                Math.min(orDefault(accept.getMaxBatchEvents(), defaults.maxBatchEvents()), 0xFFFF),
                orDefault(accept.getMaxBatchBytes(), defaults.maxBatchBytes()),
                orDefault(accept.getMaxUnackedEvents(), defaults.maxUnackedEvents()),
                orDefault(accept.getKeepaliveMs(), DEFAULT_KEEPALIVE_MS));
    }

    /** Uncompressed bytes of an event block that surely fit one frame with this codec. */
    int maxBlockBytes(int codec) {
        int frame = maxFrameBytes - TYPE_BYTES - BatchHeader.BYTES;
        if (codec != BatchHeader.CODEC_NONE) {
            frame -= (frame >> ZSTD_GROWTH_SHIFT) + ZSTD_GROWTH_BYTES;
        }
        return Math.min(frame, maxBatchBytes);
    }

    private static int orDefault(int value, int defaultValue) {
        // Unsigned on the wire: what does not fit is no limit that matters here.
        return value == 0 ? defaultValue : value < 0 ? Integer.MAX_VALUE : value;
    }
}
