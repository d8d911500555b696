package io.sallyport.session.core;

import static io.sallyport.envelope.epoch.SessionId.isNewer;

import io.sallyport.envelope.epoch.EpochRules;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.Optional;

/**
 * What a node knows of a sensor's epoch: its replica of the authority's table, and on top of it what its own sessions
 * brought about. Knowledge from several sources is {@link #merge merged} in any order; nothing of an epoch is ever
 * forgotten. By it a node decides an ordinary resume itself (semantics, section 2).
 *
 * @param epoch u32; 0 = none
 * @param newestSessionId the newest session that was heard of, in whichever epoch; 0 = none
 * @param liveSessionId the same while it is not known to have ended; 0 = it has
 * @param lastAppendSessionId no session after this one is known to have appended in this epoch
 * @param acked highest watermark that was acknowledged in this epoch, as far as was heard
 * @param reused two timelines share this epoch: it is to end
 */
public record KnownEpoch(
        long epoch, long newestSessionId, long liveSessionId, long lastAppendSessionId, long acked, boolean reused) {
    public static final KnownEpoch NOTHING = new KnownEpoch(0, 0, 0, 0, 0, false);

    /** A resume that the node decided, and what it knows from then on. */
    public record Resume(EpochAnswer answer, KnownEpoch known) {}

    public static KnownEpoch of(EpochState state) {
        return new KnownEpoch(
                EpochRules.epoch(state),
                state.getNewestSessionId(),
                state.getLiveSessionId(),
                state.getLastAppendSessionId(),
                state.getAcked(),
                state.getReused());
    }

    /** What an answer to {@code claim} says. */
    public static KnownEpoch of(EpochAnswer answer, EpochClaim claim) {
        long newest = answer.getNewestSessionId();
        if (answer.getOutcome() != ClaimOutcome.CLAIM_GRANTED) {
            return new KnownEpoch(0, newest, newest, 0, 0, false);
        }
        boolean resumed = answer.getVerdict() == EpochVerdict.RESUMED;
        // The authority knows of none that appended after the session which the sensor named.
        long lastAppend = resumed ? claim.getLastSessionId() : 0;
        long acked = resumed ? answer.getWatermark() : 0;
        return new KnownEpoch(Integer.toUnsignedLong(answer.getEpoch()), newest, newest, lastAppend, acked, false);
    }

    /** What a session of this node brought about. */
    public static KnownEpoch of(SessionReport report) {
        long session = report.getSessionId();
        return new KnownEpoch(
                Integer.toUnsignedLong(report.getEpoch()),
                session,
                report.getKind() == ReportKind.REPORT_DISCONNECTED ? 0 : session,
                report.getKind() == ReportKind.REPORT_FIRST_APPEND ? session : 0,
                report.getAcked(),
                false);
    }

    public KnownEpoch merge(KnownEpoch other) {
        KnownEpoch newer = isNewer(other.newestSessionId, newestSessionId) ? other : this;
        // The end of a session is final, whoever heard of it first.
        boolean ended = other.newestSessionId == newestSessionId && (liveSessionId == 0 || other.liveSessionId == 0);
        long live = ended ? 0 : newer.liveSessionId;
        if (other.epoch != epoch) {
            KnownEpoch ahead = other.epoch > epoch ? other : this;
            return new KnownEpoch(
                    ahead.epoch, newer.newestSessionId, live, ahead.lastAppendSessionId, ahead.acked, ahead.reused);
        }
        return new KnownEpoch(
                epoch,
                newer.newestSessionId,
                live,
                SessionId.newest(lastAppendSessionId, other.lastAppendSessionId),
                Math.max(acked, other.acked),
                reused || other.reused);
    }

    /** A session of an epoch below this one is to end. */
    public long openEpoch() {
        return reused ? epoch + 1 : epoch;
    }

    /**
     * Decides an ordinary resume: the sensor goes on where its epoch stands, and pushes nobody out but the session that it
     * had itself. Empty where anything else is the case, and the authority is to be asked.
     */
    public Optional<Resume> resume(EpochClaim claim) {
        boolean ordinary = EpochRules.isWellFormed(claim)
                && claim.hasPresentedEpoch()
                && Integer.toUnsignedLong(claim.getPresentedEpoch()) == epoch
                && !reused
                && !isNewer(lastAppendSessionId, claim.getLastSessionId())
                && Long.compareUnsigned(claim.getNextSeq(), acked) > 0
                && !isNewer(liveSessionId, claim.getLastSessionId())
                && isNewer(claim.getSessionId(), newestSessionId)
                && isNewer(claim.getSessionId(), claim.getLastSessionId());
        if (!ordinary) {
            return Optional.empty();
        }
        long watermark = Math.max(claim.getWatermark(), acked);
        EpochAnswer answer = EpochAnswer.newBuilder()
                .setClaimId(claim.getClaimId())
                .setOutcome(ClaimOutcome.CLAIM_GRANTED)
                .setEpoch(claim.getPresentedEpoch())
                .setVerdict(EpochVerdict.RESUMED)
                .setWatermark(watermark)
                .setNewestSessionId(claim.getSessionId())
                .setKnownSensor(true)
                .build();
        return Optional.of(new Resume(answer, merge(of(answer, claim))));
    }

    /** What the authority is told of a resume, before the sensor hears of it. */
    public static SessionReport report(EpochClaim claim, EpochAnswer resumed) {
        return SessionReport.newBuilder()
                .setKind(ReportKind.REPORT_CONNECTED)
                .setSessionId(claim.getSessionId())
                .setNode(claim.getNode())
                .setEpoch(resumed.getEpoch())
                .setAcked(resumed.getWatermark())
                .setNextSeq(claim.getNextSeq())
                .setLastSessionId(claim.getLastSessionId())
                .setPeer(claim.getPeer())
                .build();
    }
}
