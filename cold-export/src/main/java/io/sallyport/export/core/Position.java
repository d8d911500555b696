package io.sallyport.export.core;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.Takeover;
import java.util.Comparator;
import java.util.List;

/**
 * How far a shard was exported. Reading starts here; Kafka's own offsets show lag and decide nothing.
 *
 * @param structuredOffset first offset of `structured` that may hold a row that was not exported
 * @param proofOffset first offset of `proof-segments` that may hold a segment that was not exported
 * @param trees by generation
 * @param takeovers of generations that have taken the shard over: as exported rows tell, and where those are lost, as the topic
 *     `generations` does
 */
public record Position(long structuredOffset, long proofOffset, List<Tree> trees, List<Taken> takeovers) {
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

    /**
     * A generation that has taken over.
     *
     * @param generation u32
     * @param fromOffset first raw offset of which rows of older generations are void
     * @param toOffset raw offset of its fence
     * @param sinceUs rows that are void were not in the log before this time
     */
    public record Taken(long generation, long fromOffset, long toOffset, long sinceUs) {
        /** As the topic `generations` tells it. */
        static Taken of(Takeover told) {
            ShardTakeover takeover = ShardTakeover.of(told);
            return new Taken(takeover.generation(), takeover.fromOffset(), takeover.toOffset(), told.getSinceUs());
        }
    }

    public Position(long structuredOffset, long proofOffset, List<Tree> trees) {
        this(structuredOffset, proofOffset, trees, List.of());
    }

    public Position {
        takeovers = takeovers == null
                ? List.of()
                : takeovers.stream()
                        .sorted(Comparator.comparingLong(Taken::generation))
                        .toList();
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

    /** Which rows are current, as far as {@link #takeovers} tell. */
    public CurrentRecords current() {
        return new CurrentRecords(takeovers.stream()
                .map(taken -> new ShardTakeover(taken.generation(), taken.fromOffset(), taken.toOffset()))
                .toList());
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
