package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.SensorCore;
import io.sallyport.sim.core.SensorEvent;
import io.sallyport.sim.core.SensorState;
import io.sallyport.sim.netty.BatchFrameWriter;
import io.sallyport.sim.netty.Link;
import io.sallyport.sim.netty.LinkListener;
import io.sallyport.sim.spool.SensorSpool;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs one sensor on the thread of its loop: feeds its core, and executes what the core decides. */
final class SensorRunner implements LinkListener {
    /** Events appended in one step. */
    private static final int MAX_APPEND = 1_024;

    private final SensorKey key;
    private final int number;
    private final SensorCore core;
    private final SensorSpool spool;
    private final EventSource source;
    private final FleetLoop loop;
    private final SensorAccount account;
    private final List<Effect> effects = new ArrayList<>();

    private @Nullable Link link;
    private String token = "";
    private boolean executing;
    private boolean pumping;
    private boolean stopped;
    private boolean done;
    private int granted;
    private int turn;

    SensorRunner(
            SensorKey key,
            int number,
            SensorCore core,
            SensorSpool spool,
            EventSource source,
            FleetLoop loop,
            FleetRun.Base base) {
        this.key = key;
        this.number = number;
        this.core = core;
        this.spool = spool;
        this.source = source;
        this.loop = loop;
        this.account = new SensorAccount(key, loop, core, base);
    }

    SensorKey key() {
        return key;
    }

    /** Of the sensor in its fleet, from 0. */
    int number() {
        return number;
    }

    /** Whether it ever had a session. */
    boolean hasConnected() {
        return account.hasConnected();
    }

    /** What it would find after a crash. */
    SensorState state() {
        return core.state();
    }

    boolean isDone() {
        return done;
    }

    // ---- driven by the loop ----------------------------------------------------------------------------------

    /** No event follows. */
    private boolean hasMade() {
        return source.isExhausted() || loop.isFinishing();
    }

    /** Lets the sensor make that many events more; false where it has no room or no more of them. */
    boolean grant() {
        if (stopped || hasMade() || granted >= Math.min(core.room(), MAX_APPEND)) {
            return false;
        }
        granted++;
        return true;
    }

    /** Whether something may wait for the next tick that no frame will bring on. */
    boolean wantsTick() {
        return granted > 0 || (!stopped && !loop.isPaced() && !hasMade() && core.isOpen());
    }

    void tick(long nowUs) {
        if (stopped) {
            return;
        }
        core.timer(nowUs, effects);
        pump();
    }

    /** Opens the connection that the core asked for. */
    void connect(String endpoint) {
        try {
            SensorCredential credential = loop.credential(key);
            token = credential.token();
            loop.connect(endpoint, turn++, credential, this);
        } catch (RuntimeException e) {
            linkDown("no credential: " + e.getMessage());
        }
    }

    void stop() {
        stopped = true;
        if (link != null) {
            link.close();
        }
    }

    // ---- driven by the connection ----------------------------------------------------------------------------

    @Override
    public void linkUp(Link opened) {
        loop.handshakeEnded();
        loop.linked();
        if (stopped) {
            opened.close();
            return;
        }
        link = opened;
        core.connected(token, loop.nowUs(), effects);
        execute();
        opened.flush();
    }

    @Override
    public void frame(FrameType type, ByteBuffer body) {
        if (!stopped) {
            core.frame(type, type == FrameType.ACK ? ack(body) : body, loop.nowUs(), effects);
            execute();
        }
    }

    /** Counts requests to pause; a sensor that does not heed them never sees them. */
    private ByteBuffer ack(ByteBuffer body) {
        Optional<Ack> ack = Ack.read(body.duplicate()).filter(asked -> asked.throttleMs() != 0);
        if (ack.isEmpty()) {
            return body;
        }
        loop.counters().throttles.increment();
        if (loop.heedsThrottle()) {
            return body;
        }
        ByteBuffer unheeded = ByteBuffer.allocate(Ack.BYTES);
        new Ack(ack.get().epoch(), ack.get().watermark(), 0).write(unheeded);
        return unheeded.flip();
    }

    @Override
    public void readComplete() {
        pump();
    }

    @Override
    public void writable() {
        pump();
    }

    @Override
    public void linkDown(String reason) {
        if (link == null) {
            loop.handshakeEnded();
            loop.notLinked(reason);
        }
        link = null;
        account.disconnected();
        if (!stopped) {
            loop.log().debug("{}: connection down: {}", key, reason);
            core.disconnected(loop.nowUs(), loop.jitter(), effects);
            execute();
        }
    }

    // ---- events and batches ----------------------------------------------------------------------------------

    /** Makes events where there is room, and sends what may be sent. */
    private void pump() {
        if (pumping || stopped) {
            return;
        }
        pumping = true;
        try {
            boolean sent = true;
            while (sent && !stopped) {
                sent = false;
                produce();
                Link open = link;
                while (open != null && open.isWritable() && core.send(loop.nowUs(), effects)) {
                    execute();
                    sent = true;
                }
                execute();
                if (link != null) {
                    link.flush();
                }
            }
            noticeDone();
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            pumping = false;
        }
    }

    private void produce() {
        int wanted = loop.isPaced() ? granted : unpacedRoom();
        granted = 0;
        wanted = Math.min(Math.min(wanted, core.room()), MAX_APPEND);
        if (wanted > 0 && !hasMade()) {
            var events = new ArrayList<SensorEvent>(wanted);
            source.take(wanted, loop.wallUs(), events);
            core.append(events, loop.wallUs(), effects);
            execute();
        }
    }

    /** As fast as the window allows, in steps that fill frames. */
    private int unpacedRoom() {
        int out = core.unackedEvents();
        int windowRoom = core.windowRoom();
        int room = windowRoom - core.unsentEvents();
        return out > 0 && room < (out + windowRoom) / 4 ? 0 : room;
    }

    private void noticeDone() {
        account.skipped(core.skipped());
        if (!done && hasMade() && core.isSettled()) {
            done = true;
            loop.sensorDone();
        }
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    private void execute() {
        if (executing) {
            return;
        }
        executing = true;
        try {
            // An effect may lead to more of them.
            for (int i = 0; i < effects.size(); i++) {
                execute(effects.get(i));
            }
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            effects.clear();
            executing = false;
        }
    }

    private void execute(Effect effect) {
        if (effect instanceof Effect.Batch batch) {
            sendBatch(batch);
        } else if (effect instanceof Effect.Append append) {
            spool.append(append);
        } else if (effect instanceof Effect.Trim trim) {
            spool.trim(trim);
        } else if (effect instanceof Effect.Acked acked) {
            account.acked(acked);
        } else if (effect instanceof Effect.Save save) {
            spool.save(save);
        } else if (effect instanceof Effect.Drop drop) {
            spool.drop(drop);
        } else if (effect instanceof Effect.Renumber renumber) {
            spool.renumber(renumber);
        } else if (effect instanceof Effect.Remember remember) {
            spool.remember(remember);
        } else if (effect instanceof Effect.Taken taken) {
            account.taken(taken);
        } else if (effect instanceof Effect.Connect connect) {
            loop.wantsConnect(this, connect.endpoint());
        } else if (effect instanceof Effect.Accepted accepted) {
            account.accepted(accepted.accept());
        } else if (effect instanceof Effect.Refused refused) {
            account.refused(refused.reject());
        } else if (effect instanceof Effect.Disconnect disconnect) {
            loop.log().debug("{}: closing: {}", key, disconnect.reason());
            if (link != null) {
                link.close();
            }
        } else {
            sendSmall(effect);
        }
    }

    private void sendSmall(Effect effect) {
        Link open = link;
        if (open == null) {
            return;
        }
        if (effect instanceof Effect.SendSkip skip) {
            open.send(FrameType.SKIP, skip.skip().toBytes());
        } else if (effect instanceof Effect.Send send) {
            open.send(send.type(), send.body());
        } else if (effect instanceof Effect.Start start) {
            open.send(FrameType.SENSOR_START, start.start().toByteArray());
        }
    }

    private void sendBatch(Effect.Batch batch) {
        Link open = link;
        if (open == null) {
            return;
        }
        BatchFrameWriter writer = loop.writer();
        writer.begin(batch.blockBytes());
        long[] unreadable = null;
        for (long seq : batch.seqs()) {
            SensorEvent event = spool.read(batch.epoch(), seq);
            if (event == null) {
                int found = unreadable == null ? 0 : unreadable.length;
                unreadable = unreadable == null ? new long[1] : Arrays.copyOf(unreadable, found + 1);
                unreadable[found] = seq;
            } else {
                writer.add(seq, event.eventTsUs(), event.type(), event.schema(), event.payload());
            }
        }
        int lost = unreadable == null ? 0 : unreadable.length;
        if (writer.count() > 0) {
            int bytes = open.send(writer, batch.epoch(), batch.batchId(), batch.codec(), batch.flags());
            account.sent(bytes, batch.firstSends() - lost);
        }
        if (unreadable != null) {
            loop.log().warn("{}: {} spooled events cannot be read and are skipped", key, lost);
            core.unreadable(batch.batchId(), unreadable, effects);
        }
    }

    private void fail(RuntimeException e) {
        loop.log().error("{}: stopped", key, e);
        loop.failed(key + " stopped: " + e.getMessage());
        stop();
    }
}
