package io.sallyport.fanout.core;

import java.util.Optional;

/** Control data and segments are read from their topics and may lag; before "unknown" is said, they are read again. */
public interface Freshness {
    /** Waits until everything that is committed now was read; false where that takes too long, or was just done. */
    boolean catchUp();

    /** The same, even if it was just done: for what must not be older than the request that asks for it. */
    boolean catchUpNow();

    /** Whether a refusal with this code could come from lagging data. */
    default boolean couldHelp(String code) {
        Optional<ErrorCode> known = ErrorCode.named(code);
        return known.isPresent()
                && switch (known.get()) {
                    case UNKNOWN_TYPE, UNKNOWN_CUSTOMER, UNKNOWN_SENSOR, UNKNOWN_SEGMENT, UNKNOWN_KEY -> true;
                    default -> false;
                };
    }
}
