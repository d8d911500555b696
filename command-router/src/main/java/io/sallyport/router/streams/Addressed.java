package io.sallyport.router.streams;

import com.google.protobuf.MessageLite;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way to a partition that its key alone does not tell.
 *
 * @param value null is a tombstone
 */
record Addressed(int partition, @Nullable MessageLite value) {
    byte @Nullable [] bytes() {
        return value == null ? null : value.toByteArray();
    }
}
