package io.sallyport.envelope.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks the authority, and holds each of its answers against those before it. */
final class CheckedGrants {
    private final String label;
    private final TestAuthority authority;
    private final Map<String, EpochAnswer> answers = new HashMap<>();
    private final Map<String, Integer> alertsOf = new HashMap<>();
    private final Map<Long, String> causeOfEpoch = new HashMap<>();
    private final Set<Long> epochsAppended = new HashSet<>();
    private int count;

    /** @param label of the run, for whoever reads a failure */
    CheckedGrants(String label, TestAuthority authority) {
        this.label = label;
        this.authority = authority;
    }

    /** Claims that were granted; a repeated answer does not count. */
    int count() {
        return count;
    }

    /** What the claim was answered first, if it was. */
    @Nullable
    EpochAnswer answer(EpochClaim claim) {
        return answers.get(claim.getClaimId());
    }

    void report(SessionReport report) {
        Optional<EpochState> before = authority.state;
        authority.report(report);
        if (report.getKind() == ReportKind.REPORT_FIRST_APPEND) {
            epochsAppended.add(Integer.toUnsignedLong(report.getEpoch()));
        }
        checkMonotone(before);
    }

    void decide(EpochClaim claim) {
        Optional<EpochState> before = authority.state;
        EpochDecision decision = EpochRules.decide(before, claim, authority.nowMs);
        EpochAnswer answer = authority.decide(claim);
        decision.alert().ifPresent(alert -> alertsOf.merge(claim.getClaimId(), 1, Integer::sum));
        assertThat(alertsOf.getOrDefault(claim.getClaimId(), 0)).as(label).isLessThanOrEqualTo(1);
        checkMonotone(before);
        EpochAnswer earlier = answers.putIfAbsent(claim.getClaimId(), answer);
        if (earlier != null && answer.getOutcome() != ClaimOutcome.CLAIM_SUPERSEDED) {
            if (earlier.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
                assertThat(answer).as(label).isEqualTo(earlier);
            }
            return;
        }
        if (answer.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
            count++;
            checkGrant(before.orElseGet(EpochState::getDefaultInstance), claim, answer);
        }
    }

    private void checkGrant(EpochState before, EpochClaim claim, EpochAnswer answer) {
        long epoch = Integer.toUnsignedLong(answer.getEpoch());
        assertThat(SessionId.isNewer(claim.getSessionId(), before.getNewestSessionId()))
                .as("%s: a grant goes to the newest session", label)
                .isTrue();
        if (answer.getVerdict() == EpochVerdict.RESUMED) {
            return;
        }
        String cause = (claim.hasPresentedEpoch() ? claim.getPresentedEpoch() : "none") + " " + claim.getNextSeq() + " "
                + claim.getLastSessionId();
        if (epoch == EpochRules.epoch(before)) {
            assertThat(epochsAppended)
                    .as("%s: a used epoch is granted again", label)
                    .doesNotContain(epoch);
            assertThat(causeOfEpoch).as(label).containsEntry(epoch, cause);
        } else {
            assertThat(epoch).as("%s: epochs grow", label).isGreaterThan(EpochRules.epoch(before));
            boolean unused = before.getLastAppendSessionId() == 0 && before.getAcked() == 0;
            if (unused) {
                assertThat(causeOfEpoch.get(EpochRules.epoch(before)))
                        .as("%s: two numbers for one cause", label)
                        .isNotEqualTo(cause);
            }
            causeOfEpoch.put(epoch, cause);
        }
    }

    private void checkMonotone(Optional<EpochState> before) {
        before.ifPresent(then -> {
            EpochState now = authority.now();
            assertThat(EpochRules.epoch(now)).as(label).isGreaterThanOrEqualTo(EpochRules.epoch(then));
            assertThat(SessionId.isNewer(then.getNewestSessionId(), now.getNewestSessionId()))
                    .as("%s: the newest session got older", label)
                    .isFalse();
            if (now.getEpoch() == then.getEpoch()) {
                assertThat(now.getAcked()).as("%s: acked fell", label).isGreaterThanOrEqualTo(then.getAcked());
            }
        });
    }
}
