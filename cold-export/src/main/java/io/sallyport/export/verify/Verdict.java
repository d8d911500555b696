package io.sallyport.export.verify;

import java.util.List;

/** What a verification found. */
public sealed interface Verdict {

    /** Exit code of the command line (semantics, section 10). */
    int exit();

    /**
     * What was read is what was committed, up to the checkpoint.
     *
     * @param shards one line for each log tree
     * @param notes what whoever reads the verdict should know, and that changes nothing about it
     */
    record Verified(List<ShardReport> shards, List<String> notes) implements Verdict {
        public Verified {
            shards = List.copyOf(shards);
            notes = List.copyOf(notes);
        }

        public Verified(List<ShardReport> shards) {
            this(shards, List.of());
        }

        @Override
        public int exit() {
            return 0;
        }
    }

    /**
     * What was read agrees with itself, but nothing from outside vouches for it.
     *
     * @param why there is no anchor
     * @param notes as those of {@link Verified}
     */
    record Unanchored(List<ShardReport> shards, String why, List<String> notes) implements Verdict {
        public Unanchored {
            shards = List.copyOf(shards);
            notes = List.copyOf(notes);
        }

        public Unanchored(List<ShardReport> shards, String why) {
            this(shards, why, List.of());
        }

        @Override
        public int exit() {
            return 3;
        }
    }

    /**
     * The record was changed.
     *
     * @param shard -1 where it is not one shard's
     * @param segment index of the first segment that does not hold; -1 where there is none
     * @param identity the first bad identity, as far as it can be told
     * @param why it does not hold
     */
    record Tampered(long shard, long segment, String identity, String why) implements Verdict {
        @Override
        public int exit() {
            return 1;
        }
    }

    /**
     * One log tree.
     *
     * @param segments that were checked
     * @param fromPos first record that was there to be checked
     * @param toPos the record after the last that a checkpoint covers
     * @param uncovered records beyond, which no checkpoint covers yet
     */
    record ShardReport(int shard, int generation, long segments, long fromPos, long toPos, long uncovered) {}
}
