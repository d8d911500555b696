package io.sallyport.envelope.epoch;

import static io.sallyport.envelope.epoch.SessionId.isNewer;

import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.List;

/**
 * A resume that a node decided by its replica of the table, as the authority sees it afterwards. The sensor has its
 * ACCEPT already, so it stands; but where the authority would not have granted it, numbers of the epoch may be in use
 * twice, and the epoch has to end.
 */
final class NodeResume {
    private NodeResume() {}

    private static boolean isOne(SessionReport report) {
        return report.getKind() == ReportKind.REPORT_CONNECTED && report.getNextSeq() != 0;
    }

    /** Whether a claim with the same words would have been a rollback. */
    static boolean contradicts(EpochState state, SessionReport report) {
        return isOne(report)
                && (isNewer(state.getLastAppendSessionId(), report.getLastSessionId())
                        || Long.compareUnsigned(report.getNextSeq(), state.getAcked()) <= 0);
    }

    /**
     * Keeps what later reports are held against. An older session may still be reported from another node, even where
     * none is known to live now; so each such resume is remembered.
     */
    static void remember(EpochState.Builder next, EpochState state, SessionReport report, long logTimeMs) {
        if (!isOne(report)) {
            return;
        }
        TakenOver.remember(next, report.getSessionId(), report.getNextSeq());
        if (IdentityConflicts.isConflict(state, report.getLastSessionId())) {
            List<Long> recent = IdentityConflicts.recent(state, logTimeMs);
            next.clearConflictsMs().addAllConflictsMs(recent);
            if (recent.size() < IdentityConflicts.TAKEOVERS_PER_MINUTE) {
                next.addConflictsMs(logTimeMs);
            }
        }
    }
}
