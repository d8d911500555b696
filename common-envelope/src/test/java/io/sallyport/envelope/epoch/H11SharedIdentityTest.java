package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_DISCONNECTED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_FIRST_APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** H11, the authority's part: two live machines with one identity, both at epoch 3 and next_seq 101. */
class H11SharedIdentityTest {
    private final TestAuthority authority = TestAuthority.at(3, 100);
    private long sessions = 10;

    private static final class Machine {
        long epoch = 3;
        long lastSessionId = 1;
        long sessionId;
    }

    @Test
    void shouldLetAFewTakeoversThroughAndSlowTheRest() {
        var a = new Machine();
        var b = new Machine();
        List<Long> takeoversMs = new ArrayList<>();
        List<Integer> delays = new ArrayList<>();
        Map<Long, Machine> liveByEpoch = new HashMap<>();
        connect(a);
        for (int i = 0; i < 600; i++) {
            authority.nowMs += 100;
            Machine next = authority.now().getLiveSessionId() == a.sessionId ? b : a;
            EpochAnswer answer = connect(next);
            if (answer.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
                takeoversMs.add(authority.nowMs);
                Machine before = liveByEpoch.put((long) answer.getEpoch(), next);
                assertThat(before)
                        .as("an epoch that was used is never granted to the other")
                        .isNull();
            } else {
                assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SLOWED);
                delays.add(answer.getRetryAfterMs());
            }
        }
        assertThat(takeoversMs).hasSize(IdentityConflicts.TAKEOVERS_PER_MINUTE);
        assertThat(delays).startsWith(1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000);
        assertThat(authority.alerts.stream().filter(EpochAlert.IDENTITY_CONFLICT::equals))
                .hasSize(1);
    }

    @Test
    void shouldNeverExceedTheTakeoversOfAnyMinute() {
        var a = new Machine();
        var b = new Machine();
        List<Long> takeoversMs = new ArrayList<>();
        connect(a);
        for (int i = 0; i < 6_000; i++) {
            authority.nowMs += 100;
            Machine next = authority.now().getLiveSessionId() == a.sessionId ? b : a;
            if (connect(next).getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
                takeoversMs.add(authority.nowMs);
            }
        }
        for (int i = 3; i < takeoversMs.size(); i++) {
            assertThat(takeoversMs.get(i) - takeoversMs.get(i - 3)).isGreaterThanOrEqualTo(60_000);
        }
        long conflicts = authority.alerts.stream()
                .filter(EpochAlert.IDENTITY_CONFLICT::equals)
                .count();
        assertThat(conflicts).isBetween(2L, 10L);
    }

    @Test
    void shouldNotTakeReconnectsForAConflict() {
        var sensor = new Machine();
        connect(sensor);
        for (int i = 0; i < 50; i++) {
            authority.nowMs += 100;
            assertThat(connect(sensor).getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
        }
        assertThat(authority.alerts).isEmpty();
        assertThat(authority.epoch()).isEqualTo(3);
    }

    @Test
    void shouldNotCountASessionThatHasEnded() {
        for (int i = 0; i < 50; i++) {
            authority.nowMs += 100;
            long sessionId = ++sessions;
            EpochAnswer answer = authority.decide(authority.start(sessionId, 3, 101, 1));
            assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
            authority.report(REPORT_DISCONNECTED, sessionId, 3, 100);
        }
        assertThat(authority.alerts).isEmpty();
    }

    @Test
    void shouldStillServeTheSessionThatIsLiveWhileOthersAreSlowed() {
        for (int i = 0; i < 5; i++) {
            authority.decide(authority.start(++sessions, 3, 101, 1));
        }
        long live = authority.now().getLiveSessionId();
        EpochAnswer refused = authority.decide(authority.start(++sessions, 3, 101, 1));
        assertThat(refused.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SLOWED);
        EpochAnswer reconnect = authority.decide(authority.start(++sessions, 3, 101, live));
        assertThat(reconnect.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
    }

    @Test
    void shouldAnswerASlowedClaimIdAlikeAndCountItOnce() {
        for (int i = 0; i < 4; i++) {
            authority.decide(authority.start(++sessions, 3, 101, 1));
        }
        var claim = authority.start(++sessions, 3, 101, 1).build();
        EpochAnswer first = authority.decide(claim);
        assertThat(first.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_SLOWED);
        assertThat(authority.decide(claim)).isEqualTo(first);
        assertThat(authority.now().getSlowedCount()).isEqualTo(1);
        assertThat(authority.alerts).containsExactly(EpochAlert.IDENTITY_CONFLICT);
    }

    /** A start, the machine's state if it is granted, and its first append. */
    private EpochAnswer connect(Machine machine) {
        EpochAnswer answer = authority.decide(authority.start(++sessions, machine.epoch, 101, machine.lastSessionId));
        if (answer.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
            machine.sessionId = sessions;
            machine.lastSessionId = sessions;
            machine.epoch = answer.getEpoch();
            authority.report(REPORT_FIRST_APPEND, sessions, machine.epoch, 0);
        }
        return answer;
    }
}
