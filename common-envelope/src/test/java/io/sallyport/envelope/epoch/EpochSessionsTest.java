package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_ACKED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_CONNECTED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_DISCONNECTED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_FIRST_APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which session is the newest of a sensor, and what its node reports. */
class EpochSessionsTest {
    @ParameterizedTest
    @CsvSource({"9", "10", "1"})
    void shouldTurnAwayASessionThatIsNotNewer(long sessionId) {
        var authority = new TestAuthority();
        authority.decide(authority.start(10, 1, 0));
        EpochState before = authority.now();
        EpochAnswer answer = authority.decide(authority.start(sessionId, 1, 5, 0));
        assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SUPERSEDED);
        assertThat(answer.getNewestSessionId()).isEqualTo(10);
        assertThat(authority.now()).isEqualTo(before);
    }

    @Test
    void shouldCompareSessionIdsAsUnsigned() {
        var authority = new TestAuthority();
        authority.decide(authority.start(Long.MAX_VALUE, 1, 0));
        EpochAnswer newer = authority.decide(authority.start(Long.MIN_VALUE, 1, 5, Long.MAX_VALUE));
        assertThat(newer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
        EpochAnswer older = authority.decide(authority.start(Long.MAX_VALUE - 1, 1, 5, Long.MAX_VALUE));
        assertThat(older.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SUPERSEDED);
    }

    @Test
    void shouldSupersedeARepeatedClaimOnceANewerSessionIsKnown() {
        var authority = TestAuthority.at(3, 100);
        EpochClaim claim = authority.start(10, 3, 101, 1).build();
        authority.decide(claim);
        authority.report(REPORT_CONNECTED, 20, 3, 100);
        EpochAnswer answer = authority.decide(claim);
        assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SUPERSEDED);
        assertThat(answer.getNewestSessionId()).isEqualTo(20);
    }

    @Test
    void shouldFollowSessionsInTheDirectory() {
        var authority = new TestAuthority();
        authority.decide(authority.start(10, 1, 0));
        assertThat(authority.directory.orElseThrow().getState()).isEqualTo(SessionState.SESSION_CONNECTED);
        assertThat(authority.directory.orElseThrow().getSessionId()).isEqualTo(10);
        assertThat(authority.directory.orElseThrow().getAtUs()).isEqualTo(authority.nowMs * 1_000);
        authority.report(REPORT_DISCONNECTED, 10, 1, 0);
        assertThat(authority.directory.orElseThrow().getState()).isEqualTo(SessionState.SESSION_DISCONNECTED);
        assertThat(authority.now().getLiveSessionId()).isZero();
        ReportEffect again = authority.report(REPORT_DISCONNECTED, 10, 1, 0);
        assertThat(again.changed()).isFalse();
        assertThat(again.session()).isEmpty();
        assertThat(again.standing()).isEqualTo(ReportEffect.Standing.MERGED);
    }

    @Test
    void shouldNotHoldASessionThatItsNodeGaveUpAgainstTheNextOne() {
        var authority = TestAuthority.at(3, 100);
        for (int i = 0; i < 10; i++) {
            authority.decide(authority.start(10 + i, 3, 101, 1));
            assertThat(authority.report(REPORT_DISCONNECTED, 10 + i, 0, 0).standing())
                    .isEqualTo(ReportEffect.Standing.MERGED);
            assertThat(authority.directory.orElseThrow().getState()).isEqualTo(SessionState.SESSION_DISCONNECTED);
        }
        assertThat(authority.now().getConflictsMsList()).isEmpty();
        // Of a session that is not the live one it changes nothing.
        authority.decide(authority.start(30, 3, 101, 1));
        assertThat(authority.report(REPORT_DISCONNECTED, 20, 0, 0).changed()).isFalse();
        assertThat(authority.now().getLiveSessionId()).isEqualTo(30);
        // Nor of a sensor that nobody knows.
        ReportEffect unknown = new TestAuthority().report(REPORT_DISCONNECTED, 20, 0, 0);
        assertThat(unknown.changed()).isFalse();
        assertThat(unknown.session()).isEmpty();
    }

    @Test
    void shouldNotReviveASessionByAReportThatComesLate() {
        var authority = TestAuthority.at(3, 100);
        authority.report(REPORT_DISCONNECTED, 20, 3, 120);
        authority.report(REPORT_CONNECTED, 20, 3, 100);
        assertThat(authority.now().getLiveSessionId()).isZero();
        assertThat(authority.now().getAcked()).isEqualTo(120);
        assertThat(authority.directory.orElseThrow().getState()).isEqualTo(SessionState.SESSION_DISCONNECTED);
    }

    @Test
    void shouldNeverLetAckedFallWithinAnEpoch() {
        var authority = TestAuthority.at(3, 100);
        authority.report(REPORT_ACKED, 1, 3, 200);
        assertThat(authority.report(REPORT_ACKED, 1, 3, 150).changed()).isFalse();
        assertThat(authority.report(REPORT_ACKED, 1, 2, 900).standing()).isEqualTo(ReportEffect.Standing.CLOSED_EPOCH);
        assertThat(authority.report(REPORT_ACKED, 1, 4, 900).standing()).isEqualTo(ReportEffect.Standing.UNKNOWN_EPOCH);
        assertThat(authority.now().getAcked()).isEqualTo(200);
    }

    @Test
    void shouldCountAnAppendOfASupersededSession() {
        var authority = TestAuthority.at(3, 100);
        authority.decide(authority.start(10, 3, 101, 1));
        authority.decide(authority.start(20, 3, 101, 1));
        authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
        assertThat(authority.now().getLastAppendSessionId()).isEqualTo(10);
        assertThat(authority.now().getNewestSessionId()).isEqualTo(20);
        authority.report(REPORT_FIRST_APPEND, 20, 3, 100);
        authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
        assertThat(authority.now().getLastAppendSessionId()).isEqualTo(20);
    }

    @Test
    void shouldIgnoreReportsOfASensorThatHasNoEpoch() {
        var authority = new TestAuthority();
        ReportEffect effect = authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
        assertThat(effect.changed()).isFalse();
        assertThat(effect.standing()).isEqualTo(ReportEffect.Standing.UNKNOWN_EPOCH);
    }
}
