package io.sallyport.export.core;

import java.util.Comparator;
import java.util.List;

/**
 * How far a shard was exported. Reading starts here; Kafka's own offsets show lag and decide nothing.
 *
 * @param structuredOffset first offset of `structured` that may hold a row that was not exported
 * @param proofOffset first offset of `proof-segments` that may hold a segment that was not exported
 * @param trees by generation
 */
public record Position(long structuredOffset, long proofOffset, List<Tree> trees) {
    /** Before anything was exported. */
    public static final Position START = new Position(0, 0, List.of());

    /**
     * One generation of the shard.
     *
     * @param generation u32
     * @param nextIndex segments below it are exported
     * @param nextPos rows below it are exported
     */
    public record Tree(long generation, long nextIndex, long nextPos) {}

    public Position {
        trees = trees.stream()
                .sorted(Comparator.comparingLong(Tree::generation))
                .toList();
    }

    /** Where a generation stands; at its beginning where nothing of it was exported. */
    public Tree tree(long generation) {
        for (Tree tree : trees) {
            if (tree.generation() == generation) {
                return tree;
            }
        }
        return new Tree(generation, 0, 0);
    }

    /** What lies between this position and a later one. */
    public List<Span> spansTo(Position to) {
        return to.trees.stream()
                .map(end -> {
                    Tree begin = tree(end.generation());
                    return new Span(
                            end.generation(), begin.nextIndex(), end.nextIndex(), begin.nextPos(), end.nextPos());
                })
                .filter(span -> span.toIndex() > span.fromIndex())
                .toList();
    }
}
