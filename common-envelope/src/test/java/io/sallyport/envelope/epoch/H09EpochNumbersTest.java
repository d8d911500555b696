package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_ACKED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_FIRST_APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochAnswer;
import org.junit.jupiter.api.Test;

/** H09, where the authority holds a seq: the last seqs before the sign bit, and next_seq on it. */
class H09EpochNumbersTest {
    @Test
    void shouldResumeUpToTheLastSeq() {
        var authority = TestAuthority.at(3, 9_223_372_036_854_775_804L);
        EpochAnswer answer = authority.decide(
                authority.start(10, 3, 9_223_372_036_854_775_805L, 1).setWatermark(5));
        assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        assertThat(answer.getWatermark()).isEqualTo(9_223_372_036_854_775_804L);
        authority.report(REPORT_FIRST_APPEND, 10, 3, 9_223_372_036_854_775_804L);
        authority.report(REPORT_ACKED, 10, 3, Long.MAX_VALUE);

        // Every number is used: next_seq is 2^63, the sign bit alone.
        EpochAnswer full =
                authority.decide(authority.start(20, 3, Long.MIN_VALUE, 10).setWatermark(Long.MAX_VALUE));
        assertThat(full.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        assertThat(full.getWatermark()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldSeeReuseAtTheLastSeq() {
        var authority = TestAuthority.at(3, Long.MAX_VALUE);
        EpochAnswer answer =
                authority.decide(authority.start(10, 3, Long.MAX_VALUE, 1).setWatermark(Long.MAX_VALUE - 1));
        assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
        assertThat(answer.getPresentedEpochWatermark()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(answer.getClosedWatermark()).isEqualTo(Long.MAX_VALUE);
    }
}
