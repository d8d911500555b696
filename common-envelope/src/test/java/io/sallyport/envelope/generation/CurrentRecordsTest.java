package io.sallyport.envelope.generation;

import static io.sallyport.envelope.generation.CurrentRecords.Standing.CURRENT;
import static io.sallyport.envelope.generation.CurrentRecords.Standing.PENDING;
import static io.sallyport.envelope.generation.CurrentRecords.Standing.VOID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Takeover;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurrentRecordsTest {
    private final CurrentRecords current = new CurrentRecords();

    @Test
    void shouldTakeTheFirstGenerationAsCurrentAndOthersAsPendingBeforeAnyTakeover() {
        assertThat(current.of(0, 0)).isEqualTo(CURRENT);
        assertThat(current.of(1, 0)).isEqualTo(PENDING);
        assertThat(current.of(0xffff_ffffL, 7)).isEqualTo(PENDING);
    }

    @Test
    void shouldReplaceOlderRecordsFromTheFirstOffsetOn() {
        assertThat(current.add(new ShardTakeover(1, 100, 200))).isTrue();
        assertThat(current.add(new ShardTakeover(1, 100, 200))).isFalse();

        assertThat(current.of(0, 99)).isEqualTo(CURRENT);
        assertThat(current.of(0, 100)).isEqualTo(VOID);
        assertThat(current.of(0, 199)).isEqualTo(VOID);
        assertThat(current.of(1, 100)).isEqualTo(CURRENT);
        assertThat(current.of(1, 200)).isEqualTo(CURRENT);
    }

    /** A build that does not know of fences goes on; nobody shall read what it writes. */
    @Test
    void shouldNotReadWhatAnOlderGenerationWritesBehindTheFence() {
        current.add(new ShardTakeover(1, 100, 200));

        assertThat(current.of(0, 200)).isEqualTo(VOID);
        assertThat(current.of(0, Long.MAX_VALUE)).isEqualTo(VOID);
    }

    @Test
    void shouldNeverTakeAnAbortedGenerationAsCurrent() {
        // 1 was given up at any offset; 2 begins behind where it began.
        current.add(new ShardTakeover(2, 150, 200));

        assertThat(current.of(1, 120)).isEqualTo(PENDING);
        assertThat(current.of(1, 160)).isEqualTo(VOID);
        assertThat(current.of(0, 120)).isEqualTo(CURRENT);
    }

    @Test
    void shouldLeaveOneGenerationToEachOffset() {
        current.add(new ShardTakeover(1, 100, 200));
        current.add(new ShardTakeover(2, 50, 300));
        current.add(new ShardTakeover(4, 250, 400));

        for (long offset = 0; offset < 500; offset++) {
            long at = offset;
            long generations = List.of(0L, 1L, 2L, 3L, 4L).stream()
                    .filter(generation -> current.of(generation, at) == CURRENT)
                    .filter(generation -> generation == 0 || at >= begin(generation))
                    .count();
            assertThat(generations).as("offset " + at).isEqualTo(1);
        }
        assertThat(current.of(0, 49)).isEqualTo(CURRENT);
        assertThat(current.of(1, 150)).isEqualTo(VOID);
        assertThat(current.of(2, 249)).isEqualTo(CURRENT);
        assertThat(current.of(2, 250)).isEqualTo(VOID);
    }

    private static long begin(long generation) {
        return generation == 1 ? 100 : generation == 2 ? 50 : 250;
    }

    @Test
    void shouldReplaceNothingBelowTheFenceOfAGenerationThatIsNotComplete() {
        var record = GenerationRecord.newBuilder()
                .setFromOffset(100)
                .setToOffset(200)
                .setOrigin(Origin.newBuilder().setGeneration(1))
                .build();
        current.add(ShardTakeover.of(record));

        assertThat(current.of(0, 199)).isEqualTo(CURRENT);
        assertThat(current.of(1, 199)).isEqualTo(VOID);
        assertThat(current.of(1, 200)).isEqualTo(CURRENT);
        assertThat(ShardTakeover.of(record.toBuilder().setComplete(true).build()))
                .isEqualTo(new ShardTakeover(1, 100, 200));
    }

    @Test
    void shouldReadBothFormsOfATakeover() {
        assertThat(ShardTakeover.of(Takeover.newBuilder()
                        .setGeneration(-1)
                        .setFromOffset(3)
                        .setToOffset(9)
                        .build()))
                .isEqualTo(new ShardTakeover(0xffff_ffffL, 3, 9));
        assertThatThrownBy(() -> new ShardTakeover(0, 3, 9)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ShardTakeover(1, 9, 3)).isInstanceOf(IllegalArgumentException.class);
    }
}
