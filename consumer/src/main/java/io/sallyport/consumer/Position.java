package io.sallyport.consumer;

/**
 * Where a record stands in `structured`. Each identity stands once per generation, so that (shard, generation, offset) stands
 * for (identity, generation); within a generation offsets of a shard only grow from call to call.
 *
 * @param shard partition of `structured`
 * @param generation of the normalizer, u32
 * @param offset in that partition
 */
public record Position(int shard, long generation, long offset) {}
