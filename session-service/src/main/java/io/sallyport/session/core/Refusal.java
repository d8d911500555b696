package io.sallyport.session.core;

import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import org.jspecify.annotations.Nullable;

/**
 * A REJECT to be sent (sensor link, section 7).
 *
 * @param detail for a person; never repeats a value that was not checked
 * @param retryAfterMs middle of the range that the edge draws `retry_after_ms` from; 0 = the sensor's own back-off
 * @param batchId set: only that batch is refused and the session goes on
 * @param endpoint with MOVED: where to connect instead
 */
public record Refusal(
        RejectCode code,
        String detail,
        int retryAfterMs,
        @Nullable Integer batchId,
        String endpoint) {

    public static Refusal of(RejectCode code, String detail) {
        return new Refusal(code, detail, 0, null, "");
    }

    public static Refusal retry(RejectCode code, String detail, int retryAfterMs) {
        return new Refusal(code, detail, retryAfterMs, null, "");
    }

    public static Refusal batch(RejectCode code, int batchId, String detail) {
        return new Refusal(code, detail, 0, batchId, "");
    }

    public static Refusal moved(String endpoint) {
        return new Refusal(RejectCode.MOVED, "the customer lives in another cell", 0, null, endpoint);
    }

    /** As it goes out, with the drawn {@code retryAfterMs}. */
    public Reject toFrame(int drawnRetryAfterMs) {
        Reject.Builder reject = Reject.newBuilder()
                .setCode(code)
                .setDetail(detail)
                .setRetryAfterMs(drawnRetryAfterMs)
                .setEndpoint(endpoint);
        if (batchId != null) {
            reject.setBatchId(batchId);
        }
        return reject.build();
    }
}
