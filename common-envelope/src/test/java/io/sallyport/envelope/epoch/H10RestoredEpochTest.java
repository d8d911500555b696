package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_FIRST_APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import org.junit.jupiter.api.Test;

/** H10: a restored machine comes back with an older epoch; the current one is 5, acknowledged up to 1,000. */
class H10RestoredEpochTest {
    private final TestAuthority authority = TestAuthority.at(5, 1_000);

    @Test
    void shouldIssueTheNextEpochToARestoredMachine() {
        EpochAnswer answer = authority.decide(authority.start(10, 4, 300, 1).setWatermark(299));
        assertThat(answer.getEpoch()).isEqualTo(6);
        assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
        assertThat(answer.getClosedWatermark()).isEqualTo(1_000);
        assertThat(answer.getPresentedEpochWatermark()).isEqualTo(299);
        assertThat(authority.alerts).containsExactly(EpochAlert.EPOCH_ROLLBACK);
    }

    @Test
    void shouldSpendOneNumberWhenTheSameFrameReachesTwoNodes() {
        EpochClaim one = authority.start(10, 4, 300, 1).setNode(1).build();
        EpochClaim two = authority.start(20, 4, 300, 1).setNode(2).build();
        EpochAnswer first = authority.decide(one);
        EpochAnswer second = authority.decide(two);
        assertThat(first.getEpoch()).isEqualTo(6);
        assertThat(second.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
        assertThat(second.getEpoch()).isEqualTo(6);
        assertThat(authority.epoch()).isEqualTo(6);
        assertThat(authority.now().getLiveSessionId()).isEqualTo(20);
        assertThat(authority.decide(one).getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SUPERSEDED);
        assertThat(authority.alerts).containsExactly(EpochAlert.EPOCH_ROLLBACK);
    }

    @Test
    void shouldTurnTheOlderSessionAwayWhenTheNewerOneWinsTheRace() {
        EpochClaim older = authority.start(10, 4, 300, 1).setNode(1).build();
        EpochAnswer newer = authority.decide(authority.start(20, 4, 300, 1).setNode(2));
        EpochAnswer late = authority.decide(older);
        assertThat(newer.getEpoch()).isEqualTo(6);
        assertThat(late.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SUPERSEDED);
        assertThat(late.getNewestSessionId()).isEqualTo(20);
        assertThat(authority.epoch()).isEqualTo(6);
        // It mints above the newer one and asks again: the same answer, and 7 is still not spent.
        EpochAnswer again = authority.decide(authority.start(30, 4, 300, 1).setNode(1));
        assertThat(again.getEpoch()).isEqualTo(6);
        assertThat(again.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
    }

    @Test
    void shouldPassOverAnEpochThatWasNeverIssued() {
        EpochAnswer answer = authority.decide(authority.start(10, 9, 300, 1));
        assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.DIVERGED);
        assertThat(answer.getEpoch()).isEqualTo(10);
        assertThat(answer.getPresentedEpochWatermark()).isZero();
        assertThat(authority.alerts).containsExactly(EpochAlert.EPOCH_DIVERGED);
    }

    @Test
    void shouldContinueInTheGivenEpochFromItsOwnNumbers() {
        authority.decide(authority.start(10, 4, 300, 1));
        authority.report(REPORT_FIRST_APPEND, 10, 6, 0);
        EpochAnswer answer = authority.decide(authority.start(20, 6, 5, 10).setWatermark(2));
        assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        assertThat(answer.getEpoch()).isEqualTo(6);
        assertThat(answer.getWatermark()).isEqualTo(2);
    }
}
