package io.sallyport.session.core;

import org.jspecify.annotations.Nullable;

/**
 * A record between its admission and its outcome. The bytes themselves are not kept.
 *
 * @param batchId of a BATCH, else null
 * @param bytes that the record keeps in memory until then
 * @param entry what it covers; null for an EPOCH_OPEN
 */
public record PendingAppend(@Nullable Integer batchId, int bytes, AckWindow.@Nullable InFlight entry) {}
