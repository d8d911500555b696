package io.sallyport.session.core;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.proto.log.v1.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * From a SENSOR_START that passed its checks to ACCEPT: the epoch authority grants the session its epoch, and a new
 * epoch is opened in the log before the sensor hears of it (semantics, section 2).
 */
final class Opening {
    private static final int MAX_CLAIMS = 4;
    private static final PendingAppend EPOCH_OPEN = new PendingAppend(null, 0, null);
    /** About what the router sends to a sensor before it answers; what is beyond comes again. */
    private static final int MAX_EARLY_PUSHES = 64;

    private static final long MAX_EARLY_BYTES = 4L << 20;

    private final SensorStart start;
    private final SensorRoute route;
    private final LinkRules rules;
    private final long deadlineMs;
    /** The directory knows of the session before the sensor does, and so may the router. */
    private final List<SessionPush> early = new ArrayList<>();

    private long earlyBytes;
    private int claims;
    private long sessionId;
    private @Nullable EpochAnswer granted;

    Opening(SensorStart start, SensorKey sensor, LinkRules rules, Now now) {
        this.start = start;
        this.route = SensorRoute.of(sensor);
        this.rules = rules;
        this.deadlineMs = now.monotonicMs() + LinkRules.START_DEADLINE_MS;
    }

    SensorKey sensor() {
        return route.sensor();
    }

    long deadlineMs() {
        return deadlineMs;
    }

    void claim(long aboveSessionId, List<Effect> out) {
        claims++;
        out.add(new Effect.Claim(sensor(), start, aboveSessionId));
    }

    /** The authority's answer; returns whether the session may open at once. */
    boolean answered(long claimedSessionId, EpochAnswer answer, Now now, List<Effect> out) {
        switch (answer.getOutcome()) {
            case CLAIM_GRANTED -> {
                sessionId = claimedSessionId;
                granted = answer;
                if (answer.getVerdict() == EpochVerdict.RESUMED) {
                    return true;
                }
                openEpoch(answer, now, out);
            }
            case CLAIM_SUPERSEDED -> {
                if (claims < MAX_CLAIMS) {
                    claim(SessionId.newest(answer.getNewestSessionId(), claimedSessionId), out);
                } else {
                    end(
                            Refusal.retry(
                                    RejectCode.SUPERSEDED,
                                    "a newer session of this sensor was accepted",
                                    LinkRules.RETRY_SUPERSEDED_MS),
                            out);
                }
            }
            case CLAIM_EXHAUSTED -> end(Refusal.of(RejectCode.EPOCH_EXHAUSTED, "no epoch above 2^32 - 1"), out);
            case CLAIM_SLOWED ->
                end(
                        Refusal.retry(
                                RejectCode.ADMISSION_LIMITED,
                                "several machines use this identity",
                                Math.max(LinkRules.RETRY_AUTHORITY_MS, answer.getRetryAfterMs())),
                        out);
            default -> unavailable(out);
        }
        return false;
    }

    void unavailable(List<Effect> out) {
        end(
                Refusal.retry(
                        RejectCode.AUTHORITY_UNAVAILABLE,
                        "the epoch cannot be decided now",
                        LinkRules.RETRY_AUTHORITY_MS),
                out);
    }

    /** The outcome of the EPOCH_OPEN; returns whether the session may open. */
    boolean appended(RawLog.Result result, List<Effect> out) {
        if (result == RawLog.Result.DURABLE) {
            return true;
        }
        logUnavailable(out);
        return false;
    }

    /** A message that may go behind ACCEPT. */
    void push(SessionPush push, List<Effect> out) {
        int bytes = push.getSerializedSize();
        if (early.size() < MAX_EARLY_PUSHES && earlyBytes + bytes <= MAX_EARLY_BYTES) {
            early.add(push);
            earlyBytes += bytes;
        } else {
            out.add(new Effect.Count(Note.PUSH_INBOX_FULL));
        }
    }

    /** What came for this session; an earlier claim of the connection may have asked for another. */
    List<SessionPush> early(long openedSessionId) {
        List<SessionPush> ofSession = early.stream()
                .filter(push -> push.getSessionId() == openedSessionId)
                .toList();
        // This object lives as long as its session.
        early.clear();
        earlyBytes = 0;
        return ofSession;
    }

    /** ACCEPT or REJECT is due. */
    void expired(List<Effect> out) {
        if (granted == null) {
            unavailable(out);
        } else {
            logUnavailable(out);
        }
    }

    LiveSession open(BatchAdmission admission, Now now, List<Effect> out) {
        EpochAnswer answer = Objects.requireNonNull(granted);
        var session = new LiveSession(
                route, stamp(answer, now), Integer.toUnsignedLong(answer.getEpoch()), rules, admission, now);
        Accept accept = Accept.newBuilder()
                .setEpoch(answer.getEpoch())
                .setWatermark(session.watermark())
                .setSessionId(sessionId)
                .setMaxFrameBytes(rules.limits().maxFrameBytes())
                .setMaxBatchEvents(rules.limits().maxBatchEvents())
                .setMaxEventBytes(rules.limits().maxEventBytes())
                .setMaxBatchBytes(rules.limits().maxBatchBytes())
                .setKeepaliveMs(rules.keepaliveMs())
                .setServerTimeUs(now.wallUs())
                .setVerdict(answer.getVerdict())
                .setPresentedEpochWatermark(answer.getPresentedEpochWatermark())
                .setMaxUnackedEvents(rules.limits().maxUnackedEvents())
                .build();
        out.add(new Effect.Open(session, accept, start.getHost()));
        return session;
    }

    /** Gives a granted session back that never opened. Nothing was acknowledged, so `acked` stays 0. */
    void closed(List<Effect> out) {
        if (granted != null) {
            out.add(new Effect.Report(sensor(), disconnected(rules.node(), sessionId, granted)));
        }
    }

    static SessionReport disconnected(int node, long sessionId, EpochAnswer answer) {
        return SessionReport.newBuilder()
                .setKind(ReportKind.REPORT_DISCONNECTED)
                .setSessionId(sessionId)
                .setNode(node)
                .setEpoch(answer.getEpoch())
                .build();
    }

    private void openEpoch(EpochAnswer answer, Now now, List<Effect> out) {
        EpochOpen.Builder open = EpochOpen.newBuilder()
                .setEpoch(answer.getEpoch())
                .setVerdict(answer.getVerdict())
                .setNextSeq(start.getNextSeq())
                .setClosedWatermark(answer.getClosedWatermark());
        if (start.hasEpoch()) {
            open.setPresentedEpoch(start.getEpoch());
        }
        out.add(new Effect.Append(
                route, RawKind.EPOCH_OPEN, open.build().toByteArray(), stamp(answer, now), EPOCH_OPEN));
    }

    private Stamp stamp(EpochAnswer answer, Now now) {
        long watermark = answer.getWatermark();
        if (answer.getVerdict() == EpochVerdict.RESUMED) {
            // Never below what the sensor knows to be acknowledged: it has trimmed its spool to that.
            watermark = Math.max(watermark, start.getWatermark());
        }
        return Stamp.newBuilder()
                .setCustomerId(sensor().customerId())
                .setSensorId(sensor().sensorId())
                .setSessionId(sessionId)
                .setNode(rules.node())
                .setIngestTsUs(now.wallUs())
                .setVerdict(answer.getVerdict())
                .setBaseWatermark(watermark)
                .build();
    }

    private void logUnavailable(List<Effect> out) {
        end(
                Refusal.retry(
                        RejectCode.LOG_UNAVAILABLE, "the epoch cannot be opened in the log", LinkRules.RETRY_LOG_MS),
                out);
    }

    private static void end(Refusal refusal, List<Effect> out) {
        out.add(new Effect.End(refusal, ""));
    }
}
