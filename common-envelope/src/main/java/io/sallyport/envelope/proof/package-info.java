/**
 * The proof that the record was not changed: leaves, segments, one tree per shard and generation, checkpoints (semantics,
 * section 10).
 */
@NullMarked
package io.sallyport.envelope.proof;

import org.jspecify.annotations.NullMarked;
