package io.sallyport.envelope.topic;

import java.util.Optional;

/** What a record of `raw` is; stands by name in its header {@link RawHeaders#KIND}. */
public enum RawKind {
    /** Value: the BATCH body exactly as received. */
    BATCH,
    /** Value: the 22-byte SKIP body. */
    SKIP,
    /** Value: {@code EpochOpen}. */
    EPOCH_OPEN,
    /** Value: {@code Fence}. Belongs to no sensor. */
    FENCE;

    /** Empty for a name that this version does not know. */
    public static Optional<RawKind> of(String name) {
        for (RawKind kind : values()) {
            if (kind.name().equals(name)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
