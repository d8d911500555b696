package io.sallyport.sim.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.Drain;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.link.Stats;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageAck;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One sensor as the sensor link describes it: what it does with each event, frame and tick. It holds no payload, reads
 * no clock and does no I/O; {@code nowUs} is any monotonic clock, {@code jitter} a random number of 0 … 1, and what has
 * to be done is added to {@code out}. Belongs to one thread.
 */
public final class SensorCore {
    private static final int PROTOCOL_VERSION = 1;
    private static final int NACK_REFUSED = 1;

    private enum Phase {
        /** Waits for the time of its next connection. */
        WAITING,
        /** The connection, with TLS, is being opened. */
        CONNECTING,
        /** SENSOR_START is sent. */
        STARTING,
        /** ACCEPT has come. */
        OPEN
    }

    private final SensorKey key;
    private final HostMetadata host;
    private final SensorSettings settings;
    private final MessageLedger messages;
    private final Reconnects reconnects;
    private final SpoolLedger spool;
    private final Sender sender;

    private Phase phase = Phase.WAITING;
    private long startDeadlineUs;
    private @Nullable Session session;
    /** A REJECT that came before any ACCEPT. */
    private @Nullable Reject refusal;
    /** The sensor closed the session itself, to ask for a new epoch. */
    private boolean restarting;

    public SensorCore(SensorKey key, HostMetadata host, SensorSettings settings, Recovered recovered) {
        this.key = key;
        this.host = host;
        this.settings = settings;
        this.messages = new MessageLedger(recovered.messages());
        this.reconnects = new Reconnects(settings.backoffMinMs(), settings.backoffMaxMs());
        this.spool = new SpoolLedger(settings, recovered);
        this.sender = new Sender(settings, spool);
    }

    // ---- what the surroundings may ask ------------------------------------------------------------------------

    /** How many events may be appended now. */
    public int room() {
        return spool.room();
    }

    /** Held events that were never sent. */
    public int unsentEvents() {
        return spool.index().held() - spool.index().sent();
    }

    /** Events that are sent and not acknowledged. */
    public int unackedEvents() {
        return spool.index().sent();
    }

    /** How many more events the window of the open session lets out; 0 without a session. */
    public int windowRoom() {
        return session == null
                ? 0
                : Math.max(
                        0, session.limits().maxUnackedEvents() - spool.index().sent());
    }

    public boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** Every number given so far is acknowledged or declared. */
    public boolean isSettled() {
        return spool.isSettled();
    }

    public SensorState state() {
        return spool.state();
    }

    /** Events given up so far, in all epochs. */
    public long skipped() {
        return spool.skipped();
    }

    /** Whether this REJECT code asks for a person. */
    public static boolean isFinal(Reject reject) {
        return Reconnects.isFinal(reject.getCode());
    }

    // ---- inputs ----------------------------------------------------------------------------------------------

    /**
     * Numbers new events and spools them; at most {@link #room()}.
     *
     * @param wallUs the sensor's wall clock, that event_ts_us is compared with
     */
    public void append(List<SensorEvent> events, long wallUs, List<Effect> out) {
        if (!events.isEmpty()) {
            spool.append(events, wallUs, sender, out);
        }
    }

    /** The connection stands, TLS included. */
    public void connected(String token, long nowUs, List<Effect> out) {
        phase = Phase.STARTING;
        startDeadlineUs = nowUs + settings.startTimeoutMs() * 1_000L;
        SensorStart.Builder start = SensorStart.newBuilder()
                .setProtocolVersion(PROTOCOL_VERSION)
                .setCustomerId(key.customerId())
                .setSensorId(key.sensorId())
                .setToken(token)
                .setHost(host)
                .setBufferDepthEvents(spool.index().held())
                .setBufferDepthBytes(spool.index().heldBytes())
                .setLastSessionId(spool.lastSessionId());
        spool.present(start);
        out.add(new Effect.Start(start.build()));
    }

    /** The connection is gone, or could not be opened. */
    public void disconnected(long nowUs, double jitter, List<Effect> out) {
        Session ended = session;
        Reject reject = ended == null ? refusal : ended.end();
        if (restarting) {
            reconnects.restart(nowUs);
        } else if (reject != null) {
            reconnects.refused(reject, ended == null ? -1 : ended.ageUs(nowUs), nowUs, jitter);
        } else if (ended != null && ended.drain() != null) {
            reconnects.drained(ended.drain().jitterMs(), nowUs, jitter);
        } else {
            reconnects.lost(ended != null, nowUs, jitter);
        }
        session = null;
        refusal = null;
        restarting = false;
        phase = Phase.WAITING;
        timer(nowUs, out);
    }

    /** A frame of the gateway; {@code body} is only read during the call. */
    public void frame(FrameType type, ByteBuffer body, long nowUs, List<Effect> out) {
        if (phase != Phase.STARTING && phase != Phase.OPEN) {
            return;
        }
        if (session != null) {
            session.heard(nowUs);
        }
        try {
            switch (type) {
                case ACCEPT -> accept(Accept.parseFrom(body), nowUs, out);
                case REJECT -> reject(Reject.parseFrom(body), nowUs, out);
                case ACK ->
                    Ack.read(body)
                            .ifPresentOrElse(
                                    ack -> ack(ack, nowUs, out), () -> breach("an ACK of another length", out));
                case DRAIN -> drain(Drain.read(body), nowUs, out);
                case MESSAGE -> message(Message.parseFrom(body), out);
                case PING -> {
                    var echo = new byte[body.remaining()];
                    body.get(echo);
                    out.add(new Effect.Send(FrameType.PONG, echo));
                }
                case PONG -> {}
                case SENSOR_START, BATCH, SKIP, MESSAGE_ACK, MESSAGE_NACK, STATS ->
                    breach("a frame that only sensors send", out);
            }
        } catch (InvalidProtocolBufferException e) {
            breach("a " + type + " that does not parse", out);
        }
    }

    /** Time passes. Called at least every 100 ms or so. */
    public void timer(long nowUs, List<Effect> out) {
        switch (phase) {
            case WAITING -> {
                if (reconnects.isDue(nowUs)) {
                    phase = Phase.CONNECTING;
                    out.add(new Effect.Connect(reconnects.endpoint()));
                }
            }
            case CONNECTING -> {}
            case STARTING -> {
                if (nowUs >= startDeadlineUs) {
                    out.add(new Effect.Disconnect("no answer to SENSOR_START"));
                }
            }
            case OPEN -> {
                if (session != null) {
                    openTimer(session, nowUs, out);
                }
            }
        }
    }

    /** Adds the next BATCH or SKIP; false where none may be sent now. */
    public boolean send(long nowUs, List<Effect> out) {
        return session != null && session.mayNumber() && sender.next(session, nowUs, out);
    }

    /** Events of a batch that the spool could not give back, or whose hash differs: they are given up. */
    public void unreadable(int batchId, long[] seqs, List<Effect> out) {
        sender.withdraw(batchId, seqs);
        for (long seq : seqs) {
            spool.drop(seq, seq, Skip.REASON_SPOOL_LOST, out);
        }
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    private void accept(Accept accept, long nowUs, List<Effect> out) {
        if (phase != Phase.STARTING) {
            breach("a second ACCEPT", out);
            return;
        }
        long epoch = Integer.toUnsignedLong(accept.getEpoch());
        if (epoch == 0 || !spool.adopt(epoch, accept, out)) {
            breach("an ACCEPT that contradicts what was presented", out);
            return;
        }
        phase = Phase.OPEN;
        session = new Session(accept, settings.codec(), nowUs);
        sender.sessionStarted(accept.getWatermark());
        reconnects.accepted();
        out.add(new Effect.Accepted(accept));
    }

    private void reject(Reject reject, long nowUs, List<Effect> out) {
        out.add(new Effect.Refused(reject));
        if (session == null) {
            refusal = reject;
            out.add(new Effect.Disconnect("rejected"));
        } else if (reject.hasBatchId()) {
            if (reject.getCode() == RejectCode.STALE_EPOCH) {
                out.add(new Effect.Disconnect("the gateway holds another epoch"));
            }
            sender.refused(session, reject, nowUs, out);
        } else {
            session.end(reject);
            out.add(new Effect.Disconnect("rejected"));
        }
    }

    private void ack(Ack ack, long nowUs, List<Effect> out) {
        if (session == null) {
            breach("an ACK before ACCEPT", out);
            return;
        }
        session.throttle(ack.throttleMs(), nowUs);
        if (ack.epoch() != spool.epoch()) {
            return;
        }
        if (ack.watermark() < 0 || ack.watermark() > spool.index().last()) {
            breach("an ACK of what was never sent", out);
        } else if (ack.watermark() > spool.watermark()) {
            spool.settle(ack.watermark(), sender, out);
            session.ackMoved();
        }
    }

    private void drain(Optional<Drain> drain, long nowUs, List<Effect> out) {
        if (session == null || drain.isEmpty()) {
            breach("a DRAIN out of place", out);
        } else {
            session.drain(drain.get(), nowUs);
        }
    }

    private void message(Message message, List<Effect> out) {
        Boolean known = messages.answerTo(message.getMsgId());
        boolean applied = known != null ? known : !isRefused(message.getMsgId());
        if (known == null) {
            // Recorded before it is answered: the record is what makes a repeat harmless.
            out.add(new Effect.Remember(messages.remember(message.getMsgId(), applied)));
        }
        out.add(new Effect.Taken(message, applied, known != null));
        if (applied) {
            var answer = MessageAck.newBuilder().setMsgId(message.getMsgId()).build();
            out.add(new Effect.Send(FrameType.MESSAGE_ACK, answer.toByteArray()));
        } else {
            var answer = MessageNack.newBuilder()
                    .setMsgId(message.getMsgId())
                    .setCode(NACK_REFUSED)
                    .setDetail("refused by the sensor")
                    .build();
            out.add(new Effect.Send(FrameType.MESSAGE_NACK, answer.toByteArray()));
        }
    }

    /**
     * By the sensor and the message alone: of many sensors the share refuses each message, and whoever refused it once
     * does so at every repeat, also after its memory of messages is lost.
     */
    private boolean isRefused(String msgId) {
        long spread = ((long) key.topicKey().hashCode() << Integer.SIZE) ^ msgId.hashCode();
        // Names that differ in one digit have hashes that differ little: the finalizer of MurmurHash3 spreads them.
        spread = (spread ^ (spread >>> 33)) * 0xFF51AFD7ED558CCDL;
        spread = (spread ^ (spread >>> 33)) * 0xC4CEB9FE1A85EC53L;
        spread ^= spread >>> 33;
        return (spread >>> 11) * 0x1p-53 < settings.refuseShare();
    }

    private void openTimer(Session open, long nowUs, List<Effect> out) {
        if (open.isDead(nowUs) || open.isDrainOverdue(nowUs)) {
            out.add(new Effect.Disconnect("the gateway is silent"));
            return;
        }
        if (open.pingDue(nowUs)) {
            out.add(new Effect.Send(FrameType.PING, new byte[0]));
        }
        sender.resendOverdue(nowUs);
        if (spool.index().held() > 0 && open.statsDue(nowUs, settings.statsIntervalMs() * 1_000L)) {
            var body = ByteBuffer.allocate(Stats.BYTES);
            new Stats(spool.index().held(), spool.index().heldBytes()).write(body);
            out.add(new Effect.Send(FrameType.STATS, body.array()));
        }
        if (spool.isExhausted() && spool.isSettled() && !restarting) {
            restarting = true;
            out.add(new Effect.Disconnect("the sequence numbers of this epoch are used up"));
        }
    }

    private static void breach(String what, List<Effect> out) {
        out.add(new Effect.Disconnect("the gateway sent " + what));
    }

    @Override
    public String toString() {
        return key + " " + phase + " " + spool + " " + sender;
    }
}
