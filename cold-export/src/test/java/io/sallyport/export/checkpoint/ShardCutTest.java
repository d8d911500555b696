package io.sallyport.export.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.verify.Ledger;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.List;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** Times are those at which segments were appended; what was appended before 1,000 may be gone. */
class ShardCutTest {
    private static final long SINCE_MS = 1_000;
    private static final BiPredicate<TreeKey, Long> NEVER = (tree, pos) -> false;
    private static final TreeKey FIRST = new TreeKey(Ledger.CELL, 0, 0);
    private static final TreeKey SECOND = new TreeKey(Ledger.CELL, 0, 1);

    private final LogTrees trees = new LogTrees(Ledger.CELL);
    private final ShardCut cut = new ShardCut(40);

    private void grown(int generation, long... appendMs) {
        var ledger = new Ledger(0, generation, "a");
        for (long ms : appendMs) {
            ledger.segment(5);
        }
        for (int i = 0; i < appendMs.length; i++) {
            ProofSegment segment = ledger.segments.get(i);
            assertThat(trees.add(segment, appendMs[i])).isEmpty();
        }
    }

    private List<Trim> trims(BiPredicate<TreeKey, Long> oldEnough) {
        return cut.trims(trees.of(0), trees, SINCE_MS, oldEnough);
    }

    private boolean isUnread() {
        return cut.isUnread(trees.of(0), trees, SINCE_MS);
    }

    @Test
    void shouldTellOfEachGenerationThatLostItsBeginning() {
        grown(0, 100, 200, 2_000);
        grown(1, 150, 250);

        cut.record(40, 180, 0, 7);
        assertThat(isUnread()).as("the other one was not met").isTrue();
        cut.record(41, 181, 0, 8);
        cut.record(43, 182, 1, 3);

        assertThat(isUnread()).isFalse();
        assertThat(cut.next()).isEqualTo(44);
        assertThat(trims(NEVER)).containsExactly(new Trim(FIRST, 7), new Trim(SECOND, 3));
    }

    @Test
    void shouldTellThatAllOfAGenerationIsGoneOnlyOnceThatIsKnown() {
        grown(0, 100, 200);
        grown(1, 150, 2_000);

        cut.record(40, 300, 1, 3);
        assertThat(trims(NEVER)).as("it may come").containsExactly(new Trim(SECOND, 3));
        assertThat(isUnread()).isTrue();
        cut.record(41, 1_000, 1, 4);

        assertThat(isUnread()).as("what comes now is too young").isFalse();
        assertThat(trims(NEVER)).containsExactly(new Trim(FIRST, 10), new Trim(SECOND, 3));
    }

    @Test
    void shouldTellNothingOfWhatIsTooYoungToBeGone() {
        grown(0, 100, 2_000);
        grown(1, 1_500, 2_000);

        cut.record(40, 1_200, 0, 7);
        cut.ended(3_000);

        assertThat(isUnread()).isFalse();
        assertThat(trims(NEVER)).as("somebody else cut the log").isEmpty();
        assertThat(trims((tree, pos) -> tree.equals(FIRST) && pos == 7))
                .as("the records before it were older")
                .containsExactly(new Trim(FIRST, 7));
    }

    @Test
    void shouldTellNothingOfAGenerationWhoseBeginningIsThereOrWhoseAgeIsNotKnown() {
        grown(0, 100, 200);
        cut.record(40, 300, 0, 0);
        assertThat(trims(NEVER)).isEmpty();

        trees.restore(trees.of(0).get(0), new LogTrees.Age(0, 0));
        var other = new ShardCut(40);
        other.ended(SINCE_MS);
        assertThat(other.trims(trees.of(0), trees, SINCE_MS, NEVER)).isEmpty();
    }
}
