package io.sallyport.sim.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.sim.model.CloudSensor;
import io.sallyport.sim.model.ModelSession;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One sensor core between a modelled disk and a modelled gateway, with a clock of its own. It checks what the gateway
 * cannot see: that state is durable before it is used, and the window rule.
 */
final class Bench {
    static final SensorKey KEY = new SensorKey("acme", "s-1");

    final CloudSensor cloud = new CloudSensor();
    final List<String> breaches = new ArrayList<>();
    final Deque<byte[]> toGateway = new ArrayDeque<>();
    final Deque<ModelSession.Out> toSensor = new ArrayDeque<>();
    final Set<Long> produced = new TreeSet<>();
    final List<String> connects = new ArrayList<>();
    final List<SensorStart> starts = new ArrayList<>();
    final Random random;

    LinkLimits limits = new LinkLimits(64 << 10, 16, 8 << 10, 128 << 10, 1_024, 32);
    ModelSession.Faults faults = new ModelSession.Faults() {};
    SensorSettings settings;
    Disk disk = new Disk();
    SensorCore core;
    ModelSession session;
    long nowUs = 1_000_000;
    long nextContent = 1;
    int failConnects;
    /** The process dies when so many more effects are done; negative: it lives. */
    int effectsToCrash = -1;

    private final Set<Long> sentUnacked = new TreeSet<>();
    private boolean connectWanted;

    Bench(SensorSettings settings, Random random) {
        this.settings = settings;
        this.random = random;
        core = new SensorCore(KEY, HostMetadata.getDefaultInstance(), settings, disk.recover());
    }

    /** What is durable. */
    static final class Disk {
        record Stored(SensorEvent event, boolean renumbered, int skipReason) {}

        SensorState state = SensorState.NEW;
        Map<Long, Stored> events = new TreeMap<>();
        List<RememberedMessage> messages = new ArrayList<>();

        Disk copy() {
            var copy = new Disk();
            copy.state = state;
            copy.events.putAll(events);
            copy.messages.addAll(messages);
            return copy;
        }

        Recovered recover() {
            var entries = new ArrayList<Recovered.Entry>();
            events.forEach((seq, stored) -> {
                if (seq > state.watermark() && seq <= state.lastSeq()) {
                    entries.add(new Recovered.Entry(
                            seq,
                            stored.event().payload().length,
                            stored.event().type(),
                            stored.renumbered(),
                            stored.skipReason()));
                }
            });
            return new Recovered(state, entries, List.copyOf(messages));
        }
    }

    SensorEvent event(int type, int bytes) {
        long content = nextContent++;
        var payload = ByteBuffer.allocate(Math.max(8, bytes)).putLong(content).array();
        return new SensorEvent(content, type, 1, payload);
    }

    void append(SensorEvent... events) {
        var out = new ArrayList<Effect>();
        core.append(List.of(events), 0, out);
        for (SensorEvent event : events) {
            produced.add(contentOf(event));
        }
        run(out);
    }

    static long contentOf(SensorEvent event) {
        var builder = new BatchBuilder();
        builder.add(1, event.eventTsUs(), event.type(), event.schema(), ByteBuffer.wrap(event.payload()));
        byte[] body = builder.build(1, 1, 0, 0);
        var cursor = new io.sallyport.envelope.link.EventCursor(ByteBuffer.wrap(body, 20, body.length - 20), 1);
        cursor.next();
        return ModelSession.content(cursor);
    }

    void advance(long ms) {
        nowUs += ms * 1_000;
        var out = new ArrayList<Effect>();
        core.timer(nowUs, out);
        run(out);
    }

    /** The connection that the core wants is made, or fails. */
    void connectIfWanted() {
        if (!connectWanted) {
            return;
        }
        connectWanted = false;
        var out = new ArrayList<Effect>();
        if (failConnects > 0) {
            failConnects--;
            core.disconnected(nowUs, random.nextDouble(), out);
        } else {
            session = new ModelSession(start -> cloud, limits, faults);
            core.connected("", nowUs, out);
        }
        run(out);
    }

    boolean send() {
        var out = new ArrayList<Effect>();
        boolean sent = core.send(nowUs, out);
        run(out);
        return sent;
    }

    void gatewayReads() {
        byte[] frame = toGateway.poll();
        if (frame != null && session != null) {
            session.frame(
                    FrameType.of(frame[0]).orElseThrow(),
                    ByteBuffer.wrap(frame, 1, frame.length - 1).slice());
            collect();
        }
    }

    void collect() {
        toSensor.addAll(session.out);
        session.out.clear();
    }

    void sensorReads() {
        ModelSession.Out frame = toSensor.poll();
        if (frame != null) {
            var out = new ArrayList<Effect>();
            core.frame(frame.type(), ByteBuffer.wrap(frame.body()), nowUs, out);
            run(out);
        }
        if (toSensor.isEmpty() && session != null && session.closed) {
            disconnect();
        }
    }

    void disconnect() {
        if (session == null) {
            return;
        }
        session = null;
        toGateway.clear();
        toSensor.clear();
        var out = new ArrayList<Effect>();
        core.disconnected(nowUs, random.nextDouble(), out);
        run(out);
    }

    /** The process dies and starts again from the disk. */
    void restart() {
        session = null;
        connectWanted = false;
        effectsToCrash = -1;
        toGateway.clear();
        toSensor.clear();
        sentUnacked.clear();
        core = new SensorCore(KEY, HostMetadata.getDefaultInstance(), settings, disk.recover());
    }

    /** No faults any more: everything runs until it is settled. */
    void settle() {
        for (int i = 0; i < 100_000 && !(core.isSettled() && core.isOpen()); i++) {
            advance(core.isOpen() ? 50 : 500);
            step();
        }
    }

    void step() {
        connectIfWanted();
        while (send()) {
            gatewayReads();
        }
        while (!toGateway.isEmpty()) {
            gatewayReads();
        }
        if (session != null && session.isOpen()) {
            boolean appended = session.pending() > 0;
            while (session.pending() > 0) {
                session.confirm(0);
            }
            if (appended) {
                session.ack(0);
                collect();
            }
        }
        do {
            sensorReads();
        } while (!toSensor.isEmpty());
    }

    private void run(List<Effect> effects) {
        for (int i = 0; i < effects.size(); i++) {
            if (effectsToCrash == 0) {
                restart();
                return;
            }
            effectsToCrash -= effectsToCrash > 0 ? 1 : 0;
            run(effects.get(i), effects);
        }
    }

    private void run(Effect effect, List<Effect> more) {
        if (effect instanceof Effect.Append append) {
            long seq = append.firstSeq();
            for (SensorEvent event : append.events()) {
                disk.events.put(seq++, new Disk.Stored(event, false, 0));
            }
            disk.state = append.state();
        } else if (effect instanceof Effect.Save save) {
            disk.state = save.state();
        } else if (effect instanceof Effect.Trim trim) {
            disk.events.keySet().removeIf(seq -> seq <= trim.upTo());
            disk.state = trim.state();
            sentUnacked.removeIf(seq -> seq <= trim.upTo());
        } else if (effect instanceof Effect.Drop drop) {
            for (long i = 0; i <= drop.to() - drop.from(); i++) {
                long seq = drop.from() + i;
                disk.events.put(seq, new Disk.Stored(new SensorEvent(0, 2, 0, new byte[0]), false, drop.reason()));
                sentUnacked.remove(seq);
            }
            disk.state = drop.state();
        } else if (effect instanceof Effect.Renumber renumber) {
            renumber(renumber);
        } else if (effect instanceof Effect.Remember remember) {
            disk.messages.add(remember.message());
        } else if (effect instanceof Effect.Batch batch) {
            batch(batch, more);
        } else if (effect instanceof Effect.SendSkip skip) {
            durableBefore(skip.skip().epoch(), skip.skip().toSeq());
            toGateway.add(frame(FrameType.SKIP, skip.skip().toBytes()));
        } else if (effect instanceof Effect.Send send) {
            toGateway.add(frame(send.type(), send.body()));
        } else if (effect instanceof Effect.Start start) {
            starts.add(start.start());
            toGateway.add(frame(FrameType.SENSOR_START, start.start().toByteArray()));
        } else if (effect instanceof Effect.Connect connect) {
            connectWanted = true;
            connects.add(connect.endpoint());
        } else if (effect instanceof Effect.Disconnect) {
            disconnect();
        }
    }

    private void renumber(Effect.Renumber renumber) {
        var moved = new TreeMap<Long, Disk.Stored>();
        long seq = renumber.firstSeq();
        for (long old : renumber.seqs()) {
            Disk.Stored stored = disk.events.get(old);
            moved.put(seq++, new Disk.Stored(stored.event(), stored.renumbered() || renumber.flagged(), 0));
        }
        disk.events = moved;
        disk.state = renumber.state();
        sentUnacked.clear();
    }

    private void batch(Effect.Batch batch, List<Effect> more) {
        var builder = new BatchBuilder();
        var unreadable = new ArrayList<Long>();
        for (long seq : batch.seqs()) {
            durableBefore(batch.epoch(), seq);
            Disk.Stored stored = disk.events.get(seq);
            if (stored == null) {
                unreadable.add(seq);
                continue;
            }
            if (stored.skipReason() != 0) {
                breaches.add("number " + seq + " is sent after it was given up");
                continue;
            }
            SensorEvent event = stored.event();
            builder.add(seq, event.eventTsUs(), event.type(), event.schema(), ByteBuffer.wrap(event.payload()));
            if (stored.renumbered() != ((batch.flags() & 2) != 0)) {
                breaches.add("the RENUMBERED flag of " + seq + " is wrong");
            }
            sentUnacked.add(seq);
        }
        checkWindow();
        if (builder.count() > 0) {
            toGateway.add(frame(
                    FrameType.BATCH, builder.build(batch.epoch(), batch.batchId(), batch.codec(), batch.flags())));
        }
        if (!unreadable.isEmpty()) {
            core.unreadable(
                    batch.batchId(),
                    unreadable.stream().mapToLong(Long::longValue).toArray(),
                    more);
        }
    }

    private void checkWindow() {
        long unacked = sentUnacked.size();
        if (unacked > limits.maxUnackedEvents()) {
            breaches.add(unacked + " events are sent and unacknowledged");
        }
        var unsent = new HashSet<Long>();
        disk.events.forEach((seq, stored) -> {
            if (stored.skipReason() == 0 && !sentUnacked.contains(seq)) {
                unsent.add(seq);
            }
        });
        unsent.stream().min(Long::compare).ifPresent(lowest -> {
            long above = sentUnacked.stream().filter(seq -> seq > lowest).count();
            if (above > limits.maxUnackedEvents() / 2) {
                breaches.add(above + " events are sent above " + lowest + ", which is not");
            }
        });
    }

    private void durableBefore(long epoch, long seq) {
        if (disk.state.epoch() != epoch || disk.state.lastSeq() < seq) {
            breaches.add("number " + seq + " of epoch " + epoch + " is sent before it is durable: " + disk.state);
        }
        if (session != null && disk.state.lastSessionId() < 1_000) {
            breaches.add("the session id is not durable before its first frame");
        }
    }

    private static byte[] frame(FrameType type, byte[] body) {
        return ByteBuffer.allocate(1 + body.length).put(type.code()).put(body).array();
    }
}
