package io.sallyport.envelope.epoch;

import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One sensor's state and what became of each input: the authority without its log. */
final class TestAuthority {
    static final int NODE = 1;

    Optional<EpochState> state = Optional.empty();
    Optional<SessionEntry> directory = Optional.empty();
    final List<EpochAlert> alerts = new ArrayList<>();
    final List<ReportEffect.Standing> standings = new ArrayList<>();
    long nowMs = 1_700_000_000_000L;
    private int claims;

    /** A sensor that is at {@code epoch}, with everything up to {@code acked} acknowledged in session 1. */
    static TestAuthority at(long epoch, long acked) {
        var authority = new TestAuthority();
        authority.state = Optional.of(EpochState.newBuilder()
                .setEpoch((int) epoch)
                .setNewestSessionId(1)
                .setLastAppendSessionId(acked == 0 ? 0 : 1)
                .setAcked(acked)
                .build());
        return authority;
    }

    /** A claim with an id of its own; watermark 0. */
    EpochClaim.Builder start(long sessionId, long nextSeq, long lastSessionId) {
        return EpochClaim.newBuilder()
                .setClaimId("claim-" + ++claims)
                .setSessionId(sessionId)
                .setNode(NODE)
                .setNextSeq(nextSeq)
                .setLastSessionId(lastSessionId);
    }

    EpochClaim.Builder start(long sessionId, long epoch, long nextSeq, long lastSessionId) {
        return start(sessionId, nextSeq, lastSessionId).setPresentedEpoch((int) epoch);
    }

    EpochAnswer decide(EpochClaim.Builder claim) {
        return decide(claim.build());
    }

    EpochAnswer decide(EpochClaim claim) {
        EpochDecision decision = EpochRules.decide(state, claim, nowMs);
        if (decision.changed()) {
            state = Optional.of(decision.state());
        }
        decision.session().ifPresent(entry -> directory = Optional.of(entry));
        decision.alert().ifPresent(alerts::add);
        return decision.answer();
    }

    ReportEffect report(ReportKind kind, long sessionId, long epoch, long acked) {
        return report(SessionReport.newBuilder()
                .setKind(kind)
                .setSessionId(sessionId)
                .setNode(NODE)
                .setEpoch((int) epoch)
                .setAcked(acked)
                .build());
    }

    ReportEffect report(SessionReport report) {
        ReportEffect effect = EpochRules.apply(state, report, nowMs);
        if (effect.changed()) {
            state = Optional.of(effect.state());
        }
        effect.session().ifPresent(entry -> directory = Optional.of(entry));
        standings.add(effect.standing());
        return effect;
    }

    EpochState now() {
        return state.orElseThrow();
    }

    long epoch() {
        return EpochRules.epoch(now());
    }
}
