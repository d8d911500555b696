package io.sallyport.tracing;

import io.sallyport.envelope.hash.Blake3;
import io.sallyport.envelope.identity.MessageKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The ids of one message's trace. They are derived from what names the message and its target, so no record has to
 * carry them from hop to hop, and a decision that is made again after a crash gives the same span and no second one.
 */
final class TraceIds {
    private static final int TRACE_ID_BYTES = 16;
    private static final int SPAN_ID_BYTES = 8;
    private static final HexFormat HEX = HexFormat.of();

    private final String message;
    private final byte[] traceId;

    TraceIds(MessageKey key) {
        this.message = key.topicKey();
        this.traceId = hash("trace", message, TRACE_ID_BYTES);
    }

    String traceId() {
        return HEX.formatHex(traceId);
    }

    /** Of the step that concerns the message as a whole. */
    String spanId(String step) {
        return HEX.formatHex(hash(step, message, SPAN_ID_BYTES));
    }

    /** Of a step that concerns one target. Neither id can hold a slash. */
    String spanId(String step, String sensorId) {
        return HEX.formatHex(hash(step, message + '/' + sensorId, SPAN_ID_BYTES));
    }

    /** Even over messages: the low half of a trace id is as good as random. */
    boolean isWithin(double share) {
        long random = ByteBuffer.wrap(traceId, SPAN_ID_BYTES, SPAN_ID_BYTES).getLong() >>> 1;
        return random < share * Long.MAX_VALUE || share >= 1;
    }

    private static byte[] hash(String step, String what, int bytes) {
        byte[] id = Arrays.copyOf(
                Blake3.hash((step + '\n' + what).getBytes(StandardCharsets.US_ASCII), TRACE_ID_BYTES), bytes);
        // All zero would mean "no id".
        id[bytes - 1] |= 1;
        return id;
    }
}
