package io.sallyport.session.core;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionPush;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the sensor link: which frames may come, what follows from them, and when the connection is over.
 * Every call adds what is to be done to {@code out}, in order; nothing is done here. It belongs to one thread.
 *
 * <p>Waiting for SENSOR_START → opening (the authority decides, the log takes the epoch) → live → ended. After the end
 * outcomes may still arrive; they change nothing any more, but a session that was granted too late is given back.
 */
public final class LinkMachine {
    private enum Phase {
        AWAITING_START,
        OPENING,
        LIVE,
        ENDED
    }

    private final LinkRules rules;
    private final BatchAdmission admission;
    private final long handshakeDeadlineMs;
    private Phase phase = Phase.AWAITING_START;
    private boolean secured;
    private @Nullable Opening opening;
    private @Nullable Credential credential;
    private @Nullable LiveSession live;
    private @Nullable Keepalive keepalive;
    private boolean writable = true;
    private long unwritableSinceMs;
    private @Nullable Long drainEndMs;
    private long drainLingerMs;

    public LinkMachine(LinkRules rules, BatchAdmission admission, Now now) {
        this.rules = rules;
        this.admission = admission;
        this.handshakeDeadlineMs = now.monotonicMs() + rules.handshakeTimeoutMs();
    }

    public @Nullable LiveSession live() {
        return phase == Phase.LIVE ? live : null;
    }

    /** What the session stands on; null before SENSOR_START has passed its checks. */
    public @Nullable Credential credential() {
        return credential;
    }

    public boolean isEnded() {
        return phase == Phase.ENDED;
    }

    /** TLS is up; from here on the sensor can be told why it is refused. */
    public void secured() {
        secured = true;
    }

    public boolean isSecured() {
        return secured;
    }

    /** Bytes came in, whether or not they complete a frame. */
    public void bytesReceived(Now now) {
        if (keepalive != null) {
            keepalive.received(now.monotonicMs());
        }
    }

    public void received(Inbound inbound, StartFacts facts, Now now, List<Effect> out) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (inbound instanceof Inbound.Broken broken) {
            out.add(new Effect.End(Refusal.of(broken.code(), broken.detail()), ""));
        } else if (inbound instanceof Inbound.Frame frame) {
            if (phase == Phase.LIVE && live != null) {
                receivedLive(live, frame, now, out);
            } else if (phase == Phase.AWAITING_START && frame.type() == FrameType.SENSOR_START) {
                start(frame.body(), facts, now, out);
            } else {
                out.add(new Effect.End(Refusal.of(RejectCode.PROTOCOL_VIOLATION, frame.type() + " before ACCEPT"), ""));
            }
        }
        settle(out);
    }

    private void start(byte[] body, StartFacts facts, Now now, List<Effect> out) {
        StartCheck.Outcome outcome = StartCheck.check(body, facts);
        if (outcome instanceof StartCheck.Outcome.Refused refused) {
            out.add(new Effect.End(refused.refusal(), refused.audit()));
        } else if (outcome instanceof StartCheck.Outcome.Passed passed) {
            phase = Phase.OPENING;
            credential = passed.credential();
            opening = new Opening(passed.start(), passed.sensor(), rules, now);
            opening.claim(0, out);
        }
    }

    private static void receivedLive(LiveSession live, Inbound.Frame frame, Now now, List<Effect> out) {
        switch (frame.type()) {
            case BATCH -> live.batch(frame.body(), now, out);
            case SKIP -> live.skip(frame.body(), now, out);
            case PING -> out.add(new Effect.SendBytes(FrameType.PONG, frame.body()));
            case PONG -> {}
            case STATS -> live.stats(frame.body(), now, out);
            case MESSAGE_ACK -> live.messageAck(frame.body(), now, out);
            case MESSAGE_NACK -> live.messageNack(frame.body(), now, out);
            default ->
                out.add(new Effect.End(Refusal.of(RejectCode.PROTOCOL_VIOLATION, frame.type() + " in a session"), ""));
        }
    }

    /** The authority answered the claim for {@code sessionId}. */
    public void claimAnswered(long sessionId, EpochAnswer answer, Now now, List<Effect> out) {
        if (opening == null) {
            throw new IllegalStateException("an answer without a claim");
        }
        if (phase != Phase.OPENING) {
            if (answer.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
                out.add(new Effect.Report(opening.sensor(), Opening.disconnected(rules.node(), sessionId, answer)));
            }
            return;
        }
        if (opening.answered(sessionId, answer, now, out)) {
            open(opening, now, out);
        }
        settle(out);
    }

    public void claimFailed(List<Effect> out) {
        if (phase == Phase.OPENING && opening != null) {
            opening.unavailable(out);
            settle(out);
        }
    }

    public void appended(PendingAppend pending, RawLog.Result result, Now now, List<Effect> out) {
        if (phase == Phase.OPENING && opening != null) {
            if (opening.appended(result, out)) {
                open(opening, now, out);
            }
        } else if (phase == Phase.LIVE && live != null) {
            live.appended(pending, result, now, out);
        }
        settle(out);
    }

    private void open(Opening opening, Now now, List<Effect> out) {
        live = opening.open(admission, now, out);
        keepalive = new Keepalive(rules.keepaliveMs(), now.monotonicMs());
        phase = Phase.LIVE;
        for (SessionPush push : opening.early(live.sessionId())) {
            live.downlink().push(push, writable, now, out);
        }
    }

    public void reported(ReportKind kind, boolean durable, Now now, List<Effect> out) {
        if (phase == Phase.LIVE && live != null) {
            live.reported(kind, durable, now);
        }
    }

    /** What the epoch table says about the sensor. */
    public void changed(long newestEpoch, long newestSessionId, List<Effect> out) {
        if (phase == Phase.LIVE && live != null) {
            live.changed(newestEpoch, newestSessionId, out);
            settle(out);
        }
    }

    /** This node accepted a newer session of the sensor. */
    public void superseded(List<Effect> out) {
        if (phase == Phase.LIVE && live != null) {
            live.superseded(out);
            settle(out);
        }
    }

    /** Ends the connection for a reason that lies outside of it: its credential, its customer, the node's memory. */
    public void end(Refusal refusal, List<Effect> out) {
        if (phase != Phase.ENDED) {
            out.add(new Effect.End(refusal, ""));
            settle(out);
        }
    }

    public void push(SessionPush push, Now now, List<Effect> out) {
        if (phase == Phase.LIVE && live != null) {
            live.downlink().push(push, writable, now, out);
        } else if (phase == Phase.OPENING && opening != null) {
            opening.push(push, out);
        }
    }

    /** The node goes away. A connection that is still opening is refused; a session is drained. */
    public void drain(int deadlineMs, int jitterMs, Now now, List<Effect> out) {
        if (phase == Phase.LIVE && live != null && drainEndMs == null) {
            live.drain();
            drainEndMs = now.monotonicMs() + deadlineMs;
            drainLingerMs = now.monotonicMs() + Math.min(deadlineMs, LinkRules.DRAIN_LINGER_MS);
            var body = ByteBuffer.allocate(io.sallyport.envelope.link.Drain.BYTES);
            new io.sallyport.envelope.link.Drain(deadlineMs, jitterMs).write(body);
            out.add(new Effect.SendBytes(FrameType.DRAIN, body.array()));
        } else if (phase == Phase.OPENING) {
            end(Refusal.retry(RejectCode.DRAINING, "the node is going away", LinkRules.RETRY_DRAINING_MS), out);
        }
    }

    /** What the session's shard of the raw log asks for; to be told before each frame and each tick. */
    public void pressed(RawPressure pressure, Now now) {
        if (phase == Phase.LIVE && live != null) {
            live.pressed(pressure, now);
        }
    }

    /** How long the sensor should wait by its customer's share; to be told before {@link #ack}. */
    public void slowed(int waitMs) {
        if (phase == Phase.LIVE && live != null) {
            live.slowed(waitMs);
        }
    }

    /** Whether the gateway reads the socket; while it does not, the sensor's silence means nothing. */
    public void reading(boolean reads, Now now) {
        if (keepalive != null) {
            if (reads) {
                keepalive.resumed(now.monotonicMs());
            } else {
                keepalive.paused(now.monotonicMs());
            }
        }
    }

    /** Whether the sensor reads what it is sent. */
    public void writable(boolean isWritable, Now now) {
        if (writable && !isWritable) {
            unwritableSinceMs = now.monotonicMs();
        }
        writable = isWritable;
    }

    /** The cumulated ACK, where one is due and the sensor reads. */
    public void ack(List<Effect> out) {
        if (phase == Phase.LIVE && live != null && writable) {
            live.ack(out);
        }
    }

    public void tick(Now now, List<Effect> out) {
        switch (phase) {
            case AWAITING_START -> tickAwaiting(now, out);
            case OPENING -> {
                if (opening != null && now.monotonicMs() >= opening.deadlineMs()) {
                    opening.expired(out);
                }
            }
            case LIVE -> {
                if (live != null && keepalive != null) {
                    tickLive(live, keepalive, now, out);
                }
            }
            case ENDED -> {}
        }
        settle(out);
    }

    private void tickAwaiting(Now now, List<Effect> out) {
        if (now.monotonicMs() < handshakeDeadlineMs) {
            return;
        }
        if (secured) {
            out.add(new Effect.End(Refusal.of(RejectCode.HANDSHAKE_TIMEOUT, "no complete SENSOR_START in time"), ""));
        } else {
            out.add(new Effect.Count(Note.HANDSHAKE_TIMEOUT_IN_TLS));
            out.add(new Effect.Close("no TLS in time"));
        }
    }

    private void tickLive(LiveSession live, Keepalive keepalive, Now now, List<Effect> out) {
        long nowMs = now.monotonicMs();
        if (!writable && nowMs - unwritableSinceMs >= rules.stallTimeoutMs()) {
            out.add(new Effect.End(Refusal.of(RejectCode.SLOW_CONSUMER, "what is sent is not read"), ""));
            return;
        }
        if (drainEndMs != null && (nowMs >= drainEndMs || (nowMs >= drainLingerMs && live.isSettled()))) {
            out.add(new Effect.Close("drained"));
            return;
        }
        live.tick(writable, now, out);
        switch (keepalive.due(nowMs)) {
            case NOTHING -> {}
            case PING -> out.add(new Effect.SendBytes(FrameType.PING, new byte[0]));
            case THROTTLE -> {
                if (writable) {
                    live.throttle(out);
                }
            }
            case LOST -> {
                out.add(new Effect.Count(Note.KEEPALIVE_LOST));
                out.add(new Effect.Close("three PINGs unanswered"));
            }
        }
    }

    /** When {@link #tick} has something to do next, as far as is known now. */
    public long nextTickMs() {
        return switch (phase) {
            case AWAITING_START -> handshakeDeadlineMs;
            case OPENING -> opening == null ? Long.MAX_VALUE : opening.deadlineMs();
            case LIVE -> nextLiveTickMs();
            case ENDED -> Long.MAX_VALUE;
        };
    }

    private long nextLiveTickMs() {
        long next = Long.MAX_VALUE;
        if (live != null && keepalive != null) {
            next = Math.min(live.nextMs(writable), keepalive.nextMs());
            if (drainEndMs != null) {
                next = Math.min(next, live.isSettled() ? drainLingerMs : drainEndMs);
            }
        }
        return writable ? next : Math.min(next, unwritableSinceMs + rules.stallTimeoutMs());
    }

    /** The connection is gone. */
    public void disconnected(List<Effect> out) {
        ended(out);
    }

    /** An End or Close among the effects is the end: nothing follows but the session's last report. */
    private void settle(List<Effect> out) {
        for (int i = 0; i < out.size(); i++) {
            if (out.get(i) instanceof Effect.End || out.get(i) instanceof Effect.Close) {
                out.subList(i + 1, out.size()).clear();
                ended(out);
                return;
            }
        }
    }

    private void ended(List<Effect> out) {
        Phase before = phase;
        phase = Phase.ENDED;
        if (before == Phase.LIVE && live != null) {
            live.closed(out);
        } else if (before == Phase.OPENING && opening != null) {
            opening.closed(out);
        }
    }
}
