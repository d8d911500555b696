package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AckWindowTest {

    private static SeqRuns runs(long... bounds) {
        var runs = new SeqRuns();
        for (int i = 0; i < bounds.length; i += 2) {
            runs.add(bounds[i], bounds[i + 1]);
        }
        return runs;
    }

    @Test
    void shouldNeverPassAHole() {
        var window = new AckWindow(0, 10);
        var later = window.enter(runs(11, 20));
        var first = window.enter(runs(1, 10));
        window.confirm(later);
        assertThat(window.watermark()).isZero();
        window.confirm(first);
        assertThat(window.watermark()).isEqualTo(20);
    }

    @Test
    void shouldOpenAgainWhatFailedUnlessAnotherRecordCoversIt() {
        var window = new AckWindow(0, 1);
        var failing = window.enter(runs(10, 20));
        window.enter(runs(15, 16));
        assertThat(window.rangesAbove()).isEqualTo(1);
        window.fail(failing);
        assertThat(window.rangesAbove()).isEqualTo(1);
        assertThat(window.hasRoomFor(runs(18, 19), 1)).isFalse();
        assertThat(window.hasRoomFor(runs(14, 17), 1)).isTrue();
    }

    @Test
    void shouldAdmitAtTheLimitWhatAddsNoRange() {
        var window = new AckWindow(0, 3);
        for (long seq : new long[] {10, 20, 30}) {
            assertThat(window.hasRoomFor(runs(seq, seq), 1)).isTrue();
            window.confirm(window.enter(runs(seq, seq)));
        }
        assertThat(window.hasRoomFor(runs(40, 40), 1)).isFalse();
        // Touches one range, fills between two, or is there already.
        assertThat(window.hasRoomFor(runs(11, 11), 1)).isTrue();
        assertThat(window.hasRoomFor(runs(11, 19), 1)).isTrue();
        assertThat(window.hasRoomFor(runs(20, 20), 1)).isTrue();
        // From watermark + 1 upward there is always room, or the watermark could not move any more.
        assertThat(window.hasRoomFor(runs(1, 5), 1)).isTrue();
    }

    @Test
    void shouldCountBatchesInFlight() {
        var window = new AckWindow(0, 2);
        window.enter(runs(10, 10));
        window.enter(runs(20, 20));
        assertThat(window.hasRoomFor(runs(30, 30), 1)).isFalse();
        assertThat(window.rangesAbove()).isEqualTo(2);
    }

    @Test
    void shouldWorkUpToTheLargestSeq() {
        long max = Long.MAX_VALUE;
        var window = new AckWindow(max - 3, 2);
        window.confirm(window.enter(runs(max, max)));
        assertThat(window.watermark()).isEqualTo(max - 3);
        window.confirm(window.enter(runs(max - 2, max - 1)));
        assertThat(window.watermark()).isEqualTo(max);
        assertThat(window.hasRoomFor(runs(1, 5, max, max), 1)).isTrue();
        window.confirm(window.enter(runs(1, 5, max, max)));
        assertThat(window.watermark()).isEqualTo(max);
        assertThat(window.rangesAbove()).isZero();
    }

    @Test
    void shouldRefuseASecondOutcome() {
        var window = new AckWindow(0, 2);
        var entry = window.enter(runs(1, 1));
        window.confirm(entry);
        assertThatThrownBy(() -> window.confirm(entry)).isInstanceOf(IllegalStateException.class);
    }

    /** Against a model that keeps every seq: the watermark is right, never falls, and the ranges are what they are. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void shouldAgreeWithAModelOnRandomSchedules(long seed) {
        var random = new Random(seed);
        long base = random.nextInt(5);
        int maxRanges = 1 + random.nextInt(6);
        var window = new AckWindow(base, maxRanges);
        var durable = new TreeSet<Long>();
        var inFlight = new ArrayList<AckWindow.InFlight>();
        var inFlightSeqs = new ArrayList<List<Long>>();
        long before = base;
        for (int step = 0; step < 3_000; step++) {
            if (random.nextInt(3) > 0 || inFlight.isEmpty()) {
                var seqs = new ArrayList<Long>();
                var runs = new SeqRuns();
                long seq = Math.max(1, window.watermark() - 3 + random.nextInt(12));
                int count = 1 + random.nextInt(6);
                for (int i = 0; i < count; i++) {
                    seqs.add(seq);
                    runs.add(seq);
                    seq = Math.max(1, seq + (random.nextInt(4) == 0 ? random.nextInt(9) - 3 : 1));
                }
                var all = new TreeSet<>(durable);
                inFlightSeqs.forEach(all::addAll);
                int rangesNow = rangesAbove(all, window.watermark());
                assertThat(window.rangesAbove())
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(rangesNow);
                all.addAll(seqs);
                int rangesThen = rangesAbove(all, window.watermark());
                boolean room = rangesThen <= maxRanges || rangesThen <= rangesNow;
                assertThat(window.hasRoomFor(runs, 1))
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(room);
                if (room) {
                    inFlight.add(window.enter(runs));
                    inFlightSeqs.add(seqs);
                }
            } else {
                int at = random.nextInt(inFlight.size());
                AckWindow.InFlight entry = inFlight.remove(at);
                List<Long> seqs = inFlightSeqs.remove(at);
                if (random.nextInt(4) == 0) {
                    window.fail(entry);
                } else {
                    window.confirm(entry);
                    durable.addAll(seqs);
                }
            }
            long expected = before;
            while (durable.contains(expected + 1)) {
                expected++;
            }
            assertThat(window.watermark()).as("seed %d step %d", seed, step).isEqualTo(expected);
            before = expected;
        }
        assertThat(before).as("seed %d: the schedule moves the watermark", seed).isGreaterThan(base);
    }

    private static int rangesAbove(TreeSet<Long> seqs, long watermark) {
        int ranges = 0;
        long last = watermark;
        for (long seq : seqs.tailSet(watermark, false)) {
            if (seq != last + 1) {
                ranges++;
            }
            last = seq;
        }
        return ranges;
    }
}
