package io.sallyport.session.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.link.Stats;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.MessageAck;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A session between ACCEPT and its end: admits batches and skips in the order received, acknowledges what is durable,
 * and passes messages. Each call adds what is to be done to {@code out}.
 */
public final class LiveSession {
    private final SensorRoute route;
    private final Stamp stamp;
    private final long epoch;
    private final BatchAdmission admission;
    private final AckWindow window;
    private final SessionReports reports;
    private final Downlink downlink;
    private final SeqRuns skipRuns = new SeqRuns();
    private final Pace pace = new Pace();
    private boolean ackDue;
    private boolean draining;
    private long nextStatsMs = Long.MIN_VALUE;
    private boolean spoolIsDeep;

    LiveSession(SensorRoute route, Stamp stamp, long epoch, LinkRules rules, BatchAdmission admission, Now now) {
        this.route = route;
        this.stamp = stamp;
        this.epoch = epoch;
        this.admission = admission;
        this.window = new AckWindow(stamp.getBaseWatermark(), rules.limits().maxAckRanges());
        this.reports = new SessionReports(
                stamp.getSessionId(), epoch, rules.node(), stamp.getBaseWatermark(), now.monotonicMs());
        this.downlink = new Downlink(route.sensor(), stamp.getSessionId(), rules.limits());
    }

    public SensorRoute route() {
        return route;
    }

    public long sessionId() {
        return stamp.getSessionId();
    }

    public long epoch() {
        return epoch;
    }

    public long watermark() {
        return window.watermark();
    }

    Downlink downlink() {
        return downlink;
    }

    void batch(byte[] body, Now now, List<Effect> out) {
        if (draining) {
            int batchId = ByteBuffer.wrap(body).getInt(4);
            out.add(new Effect.Refuse(new Refusal(
                    RejectCode.DRAINING, "the node is going away", LinkRules.RETRY_DRAINING_MS, batchId, "")));
            return;
        }
        if (pace.holds()) {
            int batchId = ByteBuffer.wrap(body).getInt(4);
            out.add(new Effect.Refuse(new Refusal(
                    RejectCode.LOG_UNAVAILABLE,
                    "the shard is too far behind to take more",
                    LinkRules.RETRY_HELD_MS,
                    batchId,
                    "")));
            return;
        }
        BatchAdmission.Outcome outcome = admission.check(body, epoch, window);
        if (outcome instanceof BatchAdmission.Outcome.Torn) {
            malformed("BATCH shorter than its header", out);
        } else if (outcome instanceof BatchAdmission.Outcome.Refused refused) {
            out.add(new Effect.Refuse(refused.refusal()));
        } else if (outcome instanceof BatchAdmission.Outcome.Admitted admitted) {
            out.add(new Effect.Admitted(
                    admitted.header().count(), admitted.droppedIndexes().length, body.length, admitted.decodedBytes()));
            var pending = new PendingAppend(admitted.header().batchId(), body.length, admitted.entry());
            append(RawKind.BATCH, body, admitted.droppedIndexes(), pending, now, out);
        }
    }

    void skip(byte[] body, Now now, List<Effect> out) {
        if (draining) {
            out.add(new Effect.Count(Note.SKIP_WHILE_DRAINING));
            return;
        }
        Optional<Skip> read = Skip.read(ByteBuffer.wrap(body));
        if (read.isEmpty()) {
            malformed("SKIP has another length", out);
            return;
        }
        if (pace.holds()) {
            // As where an append fails: the sensor sees no ACK and sends it again.
            out.add(new Effect.Count(Note.SKIP_NOT_APPENDED));
            return;
        }
        Skip skip = read.get();
        if (skip.epoch() != epoch || !skip.isWellFormed()) {
            end(Refusal.of(RejectCode.SKIP_MALFORMED, "epoch, bounds or width of the SKIP"), out);
            return;
        }
        skipRuns.clear();
        skipRuns.add(skip.fromSeq(), skip.toSeq());
        if (!window.hasRoomFor(skipRuns, LinkRules.SKIP_RANGE_FACTOR)) {
            end(Refusal.of(RejectCode.ACK_WINDOW_EXCEEDED, "too many ranges above the watermark"), out);
            return;
        }
        var pending = new PendingAppend(null, body.length, window.enter(skipRuns));
        append(RawKind.SKIP, body, new int[0], pending, now, out);
    }

    void stats(byte[] body, Now now, List<Effect> out) {
        Optional<Stats> read = Stats.read(ByteBuffer.wrap(body));
        if (read.isEmpty()) {
            malformed("STATS has another length", out);
        } else if (now.monotonicMs() < nextStatsMs) {
            out.add(new Effect.Count(Note.STATS_TOO_EARLY));
        } else {
            nextStatsMs = now.monotonicMs() + LinkRules.STATS_INTERVAL_MS;
            out.add(new Effect.SpoolDepth(
                    read.get().bufferDepthEvents(), read.get().bufferDepthBytes()));
            deep(read.get(), out);
        }
    }

    /** Told once, and again only after the spool was less than half as deep. */
    private void deep(Stats stats, List<Effect> out) {
        boolean isDeep = Long.compareUnsigned(stats.bufferDepthBytes(), LinkRules.DEEP_SPOOL_BYTES) >= 0;
        if (isDeep && !spoolIsDeep) {
            spoolIsDeep = true;
            out.add(new Effect.Alert(
                    AlertKind.SPOOL_DEEP,
                    route.sensor(),
                    Long.toUnsignedString(stats.bufferDepthEvents()) + " events of "
                            + Long.toUnsignedString(stats.bufferDepthBytes()) + " bytes wait in its spool"));
        } else if (Long.compareUnsigned(stats.bufferDepthBytes(), LinkRules.DEEP_SPOOL_BYTES / 2) < 0) {
            spoolIsDeep = false;
        }
    }

    void messageAck(byte[] body, Now now, List<Effect> out) {
        try {
            downlink.acked(MessageAck.parseFrom(body), now, out);
        } catch (InvalidProtocolBufferException e) {
            malformed("MESSAGE_ACK does not parse", out);
        }
    }

    void messageNack(byte[] body, Now now, List<Effect> out) {
        try {
            downlink.nacked(MessageNack.parseFrom(body), now, out);
        } catch (InvalidProtocolBufferException e) {
            malformed("MESSAGE_NACK does not parse", out);
        }
    }

    void appended(PendingAppend pending, RawLog.Result result, Now now, List<Effect> out) {
        AckWindow.InFlight entry = pending.entry();
        if (entry == null) {
            throw new IllegalStateException("a live session appends only batches and skips");
        }
        if (result == RawLog.Result.DURABLE) {
            window.confirm(entry);
            ackDue = true;
            reports.appended(window.watermark(), now.monotonicMs()).ifPresent(report -> report(report, out));
            return;
        }
        window.fail(entry);
        if (result == RawLog.Result.TOO_LARGE) {
            out.add(new Effect.Alert(
                    AlertKind.RECORD_REFUSED_FOR_SIZE, route.sensor(), pending.bytes() + " bytes refused by the log"));
        }
        Integer batchId = pending.batchId();
        if (batchId == null) {
            // A SKIP has no answer of its own: the sensor sees no ACK and sends it again.
            out.add(new Effect.Count(Note.SKIP_NOT_APPENDED));
        } else if (result == RawLog.Result.TOO_LARGE) {
            out.add(new Effect.Refuse(
                    Refusal.batch(RejectCode.BATCH_TOO_LARGE, batchId, "the log refuses a record of this size")));
        } else {
            out.add(new Effect.Refuse(new Refusal(
                    RejectCode.LOG_UNAVAILABLE, "the log did not confirm", LinkRules.RETRY_LOG_MS, batchId, "")));
        }
    }

    void reported(ReportKind kind, boolean durable, Now now) {
        if (durable) {
            reports.durable(kind);
        } else {
            reports.failed(kind, now.monotonicMs());
        }
    }

    /** Whether an ACK may and should go out now. */
    public boolean wantsAck() {
        return ackDue && reports.mayAck();
    }

    void ack(List<Effect> out) {
        if (wantsAck()) {
            ackDue = false;
            out.add(new Effect.SendAck(epoch, window.watermark(), pace.throttleMs()));
        }
    }

    /** What the session's shard of the raw log asks for now; what was handed to the log before goes its way. */
    void pressed(RawPressure pressure, Now now) {
        pace.pressed(pressure, now.monotonicMs());
    }

    /** The sensor is over its share and should wait so long; 0 = it is not. */
    void slowed(int waitMs) {
        pace.slowed(waitMs);
    }

    /** Tells the sensor that its silence from here is not the end. */
    void throttle(List<Effect> out) {
        tell(LinkRules.THROTTLE_MS, out);
    }

    /** Asks for a pause; acknowledges nothing new before it may. */
    private void tell(int throttleMs, List<Effect> out) {
        long watermark = stamp.getBaseWatermark();
        if (reports.mayAck()) {
            watermark = window.watermark();
            ackDue = false;
        }
        out.add(new Effect.SendAck(epoch, watermark, throttleMs));
    }

    void drain() {
        draining = true;
        downlink.close();
    }

    /** Everything that was taken in has its outcome, and the sensor has been told. */
    boolean isSettled() {
        return window.isSettled() && !ackDue;
    }

    void tick(boolean writable, Now now, List<Effect> out) {
        if (writable && pace.isTellingDue(now.monotonicMs())) {
            tell(pace.throttleMs(), out);
        }
        if (reports.isHopeless(now.monotonicMs())) {
            end(
                    Refusal.retry(
                            RejectCode.AUTHORITY_UNAVAILABLE,
                            "the first append cannot be reported",
                            LinkRules.RETRY_AUTHORITY_MS),
                    out);
            return;
        }
        reports.due(window.watermark(), now.monotonicMs()).ifPresent(report -> report(report, out));
    }

    long nextMs(boolean writable) {
        return Math.min(pace.nextMs(writable), reports.nextMs(window.watermark()));
    }

    /** What the epoch table says about the sensor; a newer session or epoch ends this one. */
    void changed(long newestEpoch, long newestSessionId, List<Effect> out) {
        if (SessionId.isNewer(newestSessionId, sessionId())) {
            superseded(out);
        } else if (newestEpoch > epoch) {
            end(Refusal.of(RejectCode.STALE_EPOCH, "epoch " + epoch + " is closed"), out);
        }
    }

    void superseded(List<Effect> out) {
        end(
                Refusal.retry(
                        RejectCode.SUPERSEDED,
                        "a newer session of this sensor was accepted",
                        LinkRules.RETRY_SUPERSEDED_MS),
                out);
    }

    void closed(List<Effect> out) {
        report(reports.disconnected(window.watermark()), out);
    }

    private void append(RawKind kind, byte[] value, int[] dropped, PendingAppend pending, Now now, List<Effect> out) {
        Stamp.Builder admitted = stamp.toBuilder().setIngestTsUs(now.wallUs());
        if (dropped.length > 0) {
            admitted.addAllDroppedIndexes(Arrays.stream(dropped).boxed().toList());
        }
        out.add(new Effect.Append(route, kind, value, admitted.build(), pending));
    }

    private void report(SessionReport report, List<Effect> out) {
        out.add(new Effect.Report(route.sensor(), report));
    }

    private static void malformed(String detail, List<Effect> out) {
        end(Refusal.of(RejectCode.FRAME_MALFORMED, detail), out);
    }

    private static void end(Refusal refusal, List<Effect> out) {
        out.add(new Effect.End(refusal, ""));
    }
}
