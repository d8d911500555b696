package io.sallyport.envelope.epoch;

import static io.sallyport.envelope.epoch.SessionId.isNewer;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.proto.log.v1.SessionState;
import java.util.List;
import java.util.Optional;

/**
 * The decisions of the epoch authority (semantics, section 2). Pure: a sensor's state and one input give the next state
 * and what is to be said. Epochs are u32 and session ids u64, both compared as unsigned.
 */
public final class EpochRules {
    /** The highest epoch there is. */
    public static final long MAX_EPOCH = 0xFFFF_FFFFL;
    /** An unknown sensor's epoch is passed over, not adopted, where it is below this. */
    public static final long UNKNOWN_DIVERGED_BELOW = 1L << 31;
    /** A known sensor's epoch is passed over where it is at most this far above the high-water mark. */
    public static final long DIVERGED_MAX_AHEAD = 1_024;

    private EpochRules() {}

    /** Whether the claim keeps the limits of SENSOR_START; one that does not is nobody's to answer. */
    public static boolean isWellFormed(EpochClaim claim) {
        boolean seqsInRange = claim.getNextSeq() != 0
                && Long.compareUnsigned(claim.getNextSeq(), Long.MIN_VALUE) <= 0
                && Long.compareUnsigned(claim.getWatermark(), claim.getNextSeq()) < 0;
        return !claim.getClaimId().isEmpty()
                && claim.getSessionId() != 0
                && seqsInRange
                && (!claim.hasPresentedEpoch() || claim.getPresentedEpoch() != 0);
    }

    /** Whether the report names a session, an epoch and something this version knows. */
    public static boolean isWellFormed(SessionReport report) {
        return report.getSessionId() != 0
                && (report.getEpoch() != 0 || report.getKind() == ReportKind.REPORT_DISCONNECTED)
                && report.getAcked() >= 0
                && report.getKind() != ReportKind.REPORT_UNSPECIFIED
                && report.getKind() != ReportKind.UNRECOGNIZED;
    }

    /**
     * Answers a claim by compare-and-set.
     *
     * @param known the sensor's state; empty for a sensor that never had an epoch
     * @param logTimeMs append time of the claim's record: the only clock of the rules
     */
    public static EpochDecision decide(Optional<EpochState> known, EpochClaim claim, long logTimeMs) {
        EpochState state = known.orElseGet(EpochState::getDefaultInstance);
        if (claim.getSessionId() == state.getNewestSessionId()
                && claim.getClaimId().equals(state.getGrantedAnswer().getClaimId())) {
            return unchanged(state, state.getGrantedAnswer());
        }
        if (!isNewer(claim.getSessionId(), state.getNewestSessionId())) {
            return unchanged(
                    state, answer(state, claim, ClaimOutcome.CLAIM_SUPERSEDED).build());
        }
        if (claim.getClaimId().equals(state.getSlowedAnswer().getClaimId())) {
            return unchanged(state, state.getSlowedAnswer());
        }
        Optional<Opening> opening = isRepeated(state, claim) || isResume(state, claim)
                ? Optional.empty()
                : Optional.of(opening(epoch(state), claim));
        if (opening.isPresent() && opening.get().epoch() > MAX_EPOCH) {
            return unchanged(
                    state, answer(state, claim, ClaimOutcome.CLAIM_EXHAUSTED).build());
        }
        List<Long> conflicts = IdentityConflicts.recent(state, logTimeMs);
        boolean conflict = IdentityConflicts.isConflict(state, claim);
        if (conflict && conflicts.size() >= IdentityConflicts.TAKEOVERS_PER_MINUTE) {
            return slowed(state, claim, logTimeMs);
        }
        EpochState.Builder next;
        if (opening.isPresent()) {
            next = opened(state, claim, opening.get());
        } else if (isRepeated(state, claim)) {
            next = repeated(state, claim);
        } else {
            next = resumed(state, claim);
        }
        next.setNewestSessionId(claim.getSessionId())
                .setLiveSessionId(claim.getSessionId())
                .setLivePeer(claim.getPeer())
                .clearConflictsMs()
                .addAllConflictsMs(conflicts);
        if (conflict) {
            next.addConflictsMs(logTimeMs);
        }
        EpochState granted = next.build();
        return new EpochDecision(
                granted,
                true,
                granted.getGrantedAnswer(),
                Optional.of(entry(granted, claim.getNode(), SessionState.SESSION_CONNECTED, logTimeMs)),
                opening.flatMap(Opening::alert));
    }

    /** Merges what a node says of a session; an older session never takes anything away from a newer one. */
    public static ReportEffect apply(Optional<EpochState> known, SessionReport report, long logTimeMs) {
        EpochState state = known.orElseGet(EpochState::getDefaultInstance);
        long reported = Integer.toUnsignedLong(report.getEpoch());
        boolean disconnected = report.getKind() == ReportKind.REPORT_DISCONNECTED;
        if (disconnected && reported == 0) {
            return report.getSessionId() == state.getLiveSessionId()
                    ? givenUp(state, report, logTimeMs)
                    : new ReportEffect(state, false, Optional.empty(), ReportEffect.Standing.MERGED);
        }
        if (reported != epoch(state)) {
            return new ReportEffect(state, false, Optional.empty(), standingAcross(state, report));
        }
        EpochState.Builder next = state.toBuilder().setAcked(Math.max(state.getAcked(), report.getAcked()));
        if (report.getKind() == ReportKind.REPORT_FIRST_APPEND) {
            next.setLastAppendSessionId(SessionId.newest(state.getLastAppendSessionId(), report.getSessionId()));
        }
        boolean newer = isNewer(report.getSessionId(), state.getNewestSessionId());
        next.setReused(state.getReused()
                || TakenOver.provesReuse(state, report)
                || (newer && NodeResume.contradicts(state, report)));
        if (newer) {
            NodeResume.remember(next, state, report, logTimeMs);
            next.setNewestSessionId(report.getSessionId()).setLivePeer(report.getPeer());
            next.setLiveSessionId(disconnected ? 0 : report.getSessionId());
        } else if (disconnected && report.getSessionId() == state.getLiveSessionId()) {
            next.clearLiveSessionId().clearLivePeer();
        }
        EpochState merged = next.build();
        boolean moved = newer || merged.getLiveSessionId() != state.getLiveSessionId();
        boolean stale = disconnected && isNewer(state.getNewestSessionId(), report.getSessionId());
        SessionState now = disconnected ? SessionState.SESSION_DISCONNECTED : SessionState.SESSION_CONNECTED;
        return new ReportEffect(
                merged,
                !merged.equals(state),
                moved ? Optional.of(entry(merged, report.getNode(), now, logTimeMs)) : Optional.empty(),
                stale ? ReportEffect.Standing.STALE_UNREGISTER : ReportEffect.Standing.MERGED);
    }

    /** The node stopped waiting for its claim, so it cannot name the epoch; the session never opened. */
    private static ReportEffect givenUp(EpochState state, SessionReport report, long logTimeMs) {
        EpochState merged =
                state.toBuilder().clearLiveSessionId().clearLivePeer().build();
        return new ReportEffect(
                merged,
                !merged.equals(state),
                Optional.of(entry(merged, report.getNode(), SessionState.SESSION_DISCONNECTED, logTimeMs)),
                ReportEffect.Standing.MERGED);
    }

    /** The epoch of a state as a number; 0 for a sensor that has none. */
    public static long epoch(EpochState state) {
        return Integer.toUnsignedLong(state.getEpoch());
    }

    /** A new epoch and why it is opened; an epoch above {@link #MAX_EPOCH} cannot be. */
    private record Opening(long epoch, EpochVerdict verdict) {
        Optional<EpochAlert> alert() {
            return switch (verdict) {
                case NEW_EPOCH_ROLLBACK -> Optional.of(EpochAlert.EPOCH_ROLLBACK);
                case DIVERGED -> Optional.of(EpochAlert.EPOCH_DIVERGED);
                case RESUMED, NEW_EPOCH_FIRST, UNRECOGNIZED -> Optional.empty();
            };
        }
    }

    /**
     * The cause of the current epoch comes again, from a sensor that never heard the answer: nobody has used a number of
     * this epoch, so it gets the same one.
     */
    private static boolean isRepeated(EpochState state, EpochClaim claim) {
        EpochClaim cause = state.getGrantedFor();
        return epoch(state) != 0
                && state.getLastAppendSessionId() == 0
                && state.getAcked() == 0
                && cause.hasPresentedEpoch() == claim.hasPresentedEpoch()
                && cause.getPresentedEpoch() == claim.getPresentedEpoch()
                && cause.getNextSeq() == claim.getNextSeq()
                && cause.getLastSessionId() == claim.getLastSessionId();
    }

    private static boolean isResume(EpochState state, EpochClaim claim) {
        return claim.hasPresentedEpoch()
                && claim.getPresentedEpoch() == state.getEpoch()
                && !state.getReused()
                && !isNewer(state.getLastAppendSessionId(), claim.getLastSessionId())
                && Long.compareUnsigned(claim.getNextSeq(), state.getAcked()) > 0;
    }

    private static Opening opening(long highWater, EpochClaim claim) {
        if (!claim.hasPresentedEpoch()) {
            return new Opening(highWater + 1, EpochVerdict.NEW_EPOCH_FIRST);
        }
        long presented = Integer.toUnsignedLong(claim.getPresentedEpoch());
        if (presented <= highWater) {
            return new Opening(highWater + 1, EpochVerdict.NEW_EPOCH_ROLLBACK);
        }
        boolean passOver =
                highWater == 0 ? presented < UNKNOWN_DIVERGED_BELOW : presented - highWater <= DIVERGED_MAX_AHEAD;
        return new Opening((passOver ? presented : highWater) + 1, EpochVerdict.DIVERGED);
    }

    private static EpochState.Builder opened(EpochState state, EpochClaim claim, Opening opening) {
        EpochAnswer answer = answer(state, claim, ClaimOutcome.CLAIM_GRANTED)
                .setEpoch((int) opening.epoch())
                .setVerdict(opening.verdict())
                .setPresentedEpochWatermark(presentedEpochWatermark(opening.verdict(), claim))
                .setNewestSessionId(claim.getSessionId())
                .setClosedWatermark(state.getAcked())
                .build();
        return state.toBuilder()
                .setEpoch((int) opening.epoch())
                .setVerdict(opening.verdict())
                .clearLastAppendSessionId()
                .clearAcked()
                .clearResumes()
                .clearReused()
                .setGrantedFor(claim)
                .setOpeningAnswer(answer)
                .setGrantedAnswer(answer);
    }

    private static EpochState.Builder repeated(EpochState state, EpochClaim claim) {
        EpochAnswer answer = state.getOpeningAnswer().toBuilder()
                .setClaimId(claim.getClaimId())
                .setPresentedEpochWatermark(presentedEpochWatermark(state.getVerdict(), claim))
                .setNewestSessionId(claim.getSessionId())
                .build();
        return state.toBuilder().setGrantedFor(claim).setOpeningAnswer(answer).setGrantedAnswer(answer);
    }

    /**
     * The watermark that the sensor presents is one it was given, so it counts as reported: a snapshot from before it is
     * then recognized even where the node that gave it died without a report.
     */
    private static EpochState.Builder resumed(EpochState state, EpochClaim claim) {
        long watermark = Math.max(claim.getWatermark(), state.getAcked());
        EpochAnswer answer = answer(state, claim, ClaimOutcome.CLAIM_GRANTED)
                .setEpoch(state.getEpoch())
                .setVerdict(EpochVerdict.RESUMED)
                .setWatermark(watermark)
                .setNewestSessionId(claim.getSessionId())
                .build();
        EpochState.Builder next = state.toBuilder().setAcked(watermark).setGrantedAnswer(answer);
        return TakenOver.remember(next, claim);
    }

    /** For a rollback what the sensor itself knew: under a higher value the same numbers may name other events now. */
    private static long presentedEpochWatermark(EpochVerdict verdict, EpochClaim claim) {
        return verdict == EpochVerdict.NEW_EPOCH_ROLLBACK ? claim.getWatermark() : 0;
    }

    private static EpochDecision slowed(EpochState state, EpochClaim claim, long logTimeMs) {
        int slowedBefore = IdentityConflicts.slowedBefore(state, logTimeMs);
        EpochAnswer answer = answer(state, claim, ClaimOutcome.CLAIM_SLOWED)
                .setRetryAfterMs(IdentityConflicts.retryAfterMs(slowedBefore))
                .build();
        boolean alert = IdentityConflicts.isAlertDue(state, logTimeMs);
        EpochState.Builder next = state.toBuilder()
                .setSlowedAnswer(answer)
                .setSlowedCount(slowedBefore + 1)
                .setSlowedAtMs(logTimeMs);
        if (alert) {
            next.setConflictAlertMs(logTimeMs);
        }
        return new EpochDecision(
                next.build(),
                true,
                answer,
                Optional.empty(),
                alert ? Optional.of(EpochAlert.IDENTITY_CONFLICT) : Optional.empty());
    }

    private static ReportEffect.Standing standingAcross(EpochState state, SessionReport report) {
        if (Integer.toUnsignedLong(report.getEpoch()) > epoch(state)) {
            return ReportEffect.Standing.UNKNOWN_EPOCH;
        }
        return report.getKind() == ReportKind.REPORT_DISCONNECTED
                ? ReportEffect.Standing.STALE_UNREGISTER
                : ReportEffect.Standing.CLOSED_EPOCH;
    }

    private static EpochDecision unchanged(EpochState state, EpochAnswer answer) {
        return new EpochDecision(state, false, answer, Optional.empty(), Optional.empty());
    }

    private static EpochAnswer.Builder answer(EpochState state, EpochClaim claim, ClaimOutcome outcome) {
        return EpochAnswer.newBuilder()
                .setClaimId(claim.getClaimId())
                .setOutcome(outcome)
                .setNewestSessionId(state.getNewestSessionId())
                .setKnownSensor(state.getEpoch() != 0);
    }

    private static SessionEntry entry(EpochState state, int node, SessionState now, long logTimeMs) {
        return SessionEntry.newBuilder()
                .setSessionId(state.getNewestSessionId())
                .setNode(node)
                .setState(now)
                .setEpoch(state.getEpoch())
                .setAtUs(logTimeMs * 1_000)
                .build();
    }
}
