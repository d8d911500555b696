package io.sallyport.session.core;

import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.Optional;

/**
 * Which reports a session owes the epoch authority: its first append before its first ACK, its watermark while that
 * moves, and its end.
 */
final class SessionReports {
    private enum FirstAppend {
        NONE,
        SENT,
        FAILED,
        DURABLE
    }

    private final long sessionId;
    private final long epoch;
    private final int node;
    private FirstAppend firstAppend = FirstAppend.NONE;
    private long firstSentMs;
    private long retryAtMs;
    private long reportedWatermark;
    private long reportedAtMs;

    SessionReports(long sessionId, long epoch, int node, long baseWatermark, long nowMs) {
        this.sessionId = sessionId;
        this.epoch = epoch;
        this.node = node;
        this.reportedWatermark = baseWatermark;
        this.reportedAtMs = nowMs;
    }

    /** Whether an ACK may go out. */
    boolean mayAck() {
        return firstAppend == FirstAppend.DURABLE;
    }

    /** A record of the session became durable. */
    Optional<SessionReport> appended(long watermark, long nowMs) {
        if (firstAppend != FirstAppend.NONE) {
            return Optional.empty();
        }
        firstAppend = FirstAppend.SENT;
        firstSentMs = nowMs;
        reported(watermark, nowMs);
        return Optional.of(report(ReportKind.REPORT_FIRST_APPEND, watermark));
    }

    void durable(ReportKind kind) {
        if (kind == ReportKind.REPORT_FIRST_APPEND) {
            firstAppend = FirstAppend.DURABLE;
        }
    }

    void failed(ReportKind kind, long nowMs) {
        if (kind == ReportKind.REPORT_FIRST_APPEND) {
            firstAppend = FirstAppend.FAILED;
            retryAtMs = nowMs + LinkRules.FIRST_APPEND_RETRY_MS;
        } else {
            // Unequal to any watermark: the next interval reports again.
            reportedWatermark = -1;
        }
    }

    Optional<SessionReport> due(long watermark, long nowMs) {
        if (firstAppend == FirstAppend.FAILED && nowMs >= retryAtMs) {
            firstAppend = FirstAppend.SENT;
            reported(watermark, nowMs);
            return Optional.of(report(ReportKind.REPORT_FIRST_APPEND, watermark));
        }
        if (firstAppend == FirstAppend.DURABLE && nowMs >= nextAckedMs(watermark)) {
            reported(watermark, nowMs);
            return Optional.of(report(ReportKind.REPORT_ACKED, watermark));
        }
        return Optional.empty();
    }

    /** The first append cannot be reported, so nothing can be acknowledged: the session is of no use. */
    boolean isHopeless(long nowMs) {
        return firstAppend == FirstAppend.FAILED && nowMs - firstSentMs >= LinkRules.FIRST_APPEND_GIVE_UP_MS;
    }

    SessionReport disconnected(long watermark) {
        return report(ReportKind.REPORT_DISCONNECTED, watermark);
    }

    long nextMs(long watermark) {
        return firstAppend == FirstAppend.FAILED ? retryAtMs : nextAckedMs(watermark);
    }

    private long nextAckedMs(long watermark) {
        return watermark == reportedWatermark ? Long.MAX_VALUE : reportedAtMs + LinkRules.ACKED_REPORT_MS;
    }

    private void reported(long watermark, long nowMs) {
        reportedWatermark = watermark;
        reportedAtMs = nowMs;
    }

    private SessionReport report(ReportKind kind, long watermark) {
        return SessionReport.newBuilder()
                .setKind(kind)
                .setSessionId(sessionId)
                .setNode(node)
                .setEpoch((int) epoch)
                .setAcked(watermark)
                .build();
    }
}
