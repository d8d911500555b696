package io.sallyport.envelope.epoch;

import static io.sallyport.envelope.epoch.SessionId.isNewer;

import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ResumePoint;
import io.sallyport.proto.log.v1.SessionReport;

/**
 * What a session still acknowledges after a newer one took its sensor over. A machine that is reset to a snapshot of its
 * running session presents that session, and its last acknowledgements may not be reported yet: the resume is granted.
 * The late report then names numbers that the newer session had before it, which no sensor on one timeline can bring
 * about; without this its own events with these numbers would be trimmed at the next start, as if they had arrived.
 */
final class TakenOver {
    /** A report later than this many takeovers is not checked any more. */
    private static final int MAX_REMEMBERED = 8;

    private TakenOver() {}

    /** Keeps where a live session was taken over; after an ordinary end there is nothing to wait for. */
    static EpochState.Builder remember(EpochState.Builder next, EpochClaim claim) {
        return next.getLiveSessionId() == 0 ? next : remember(next, claim.getSessionId(), claim.getNextSeq());
    }

    static EpochState.Builder remember(EpochState.Builder next, long sessionId, long nextSeq) {
        if (next.getResumesCount() >= MAX_REMEMBERED) {
            next.removeResumes(0);
        }
        return next.addResumes(ResumePoint.newBuilder().setSessionId(sessionId).setNextSeq(nextSeq));
    }

    /** Whether an older session acknowledged what a newer one was still to number. */
    static boolean provesReuse(EpochState state, SessionReport report) {
        return state.getResumesList().stream()
                .anyMatch(resume -> isNewer(resume.getSessionId(), report.getSessionId())
                        && Long.compareUnsigned(report.getAcked(), resume.getNextSeq()) >= 0);
    }
}
