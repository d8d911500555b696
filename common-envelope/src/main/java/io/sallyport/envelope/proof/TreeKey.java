package io.sallyport.envelope.proof;

/**
 * Which log tree: one per shard and generation of a cell.
 *
 * @param cell origin of its checkpoints
 */
public record TreeKey(String cell, int shard, int generation) implements Comparable<TreeKey> {
    @Override
    public int compareTo(TreeKey other) {
        int byCell = cell.compareTo(other.cell);
        int byShard = Integer.compareUnsigned(shard, other.shard);
        if (byCell != 0 || byShard != 0) {
            return byCell != 0 ? byCell : byShard;
        }
        return Integer.compareUnsigned(generation, other.generation);
    }
}
