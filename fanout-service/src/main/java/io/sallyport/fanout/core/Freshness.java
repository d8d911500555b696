package io.sallyport.fanout.core;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Control data and segments are read from their topics and may lag; before "unknown" is said, they are read on. Nobody
 * is held up by asking: whoever may wait waits for the answer, and whoever works for everybody does something else.
 */
public interface Freshness {
    /**
     * Completes once everything was read that was committed when it was asked for: true; false where that takes too
     * long. Never fails. Many who ask at once share one look.
     */
    CompletableFuture<Boolean> upToDate();

    /** Whether a refusal with this code could come from lagging data. */
    static boolean couldHelp(String code) {
        Optional<ErrorCode> known = ErrorCode.named(code);
        return known.isPresent()
                && switch (known.get()) {
                    case UNKNOWN_TYPE, UNKNOWN_CUSTOMER, UNKNOWN_SENSOR, UNKNOWN_SEGMENT, UNKNOWN_KEY -> true;
                    default -> false;
                };
    }
}
