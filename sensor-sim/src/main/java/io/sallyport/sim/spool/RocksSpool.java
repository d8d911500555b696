package io.sallyport.sim.spool;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.Recovered;
import io.sallyport.sim.core.RememberedMessage;
import io.sallyport.sim.core.SensorEvent;
import io.sallyport.sim.core.SensorState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** One sensor in the shared RocksDB. */
final class RocksSpool implements SensorSpool {
    /** Messages that are kept for the answer to a repeat. */
    private static final int MESSAGES = 1_024;
    /** Settled events are deleted one by one up to this many, as a range beyond: a range slows later reads. */
    private static final int SINGLE_DELETES = 16;
    /** Events that were appended and not read yet are kept at hand, up to this many. */
    private static final int FRESH_EVENTS = 1_024;

    /** A larger write batch costs more in fresh memory than it saves in calls. */
    private static final int BATCH_BYTES = 1 << 20;
    /** Room for a state with its key, or for the key of an event. */
    private static final int SMALL_BATCH_BYTES = 256;

    private final RocksDB db;
    private final WriteOptions writes;
    private final SpoolKeys keys;
    private final Map<Long, SensorEvent> fresh = new HashMap<>();
    private long freshEpoch;
    private ByteBuffer scratch = ByteBuffer.allocate(0);
    private long deletedUpTo;

    RocksSpool(RocksDB db, WriteOptions writes, SensorKey sensor) {
        this.db = db;
        this.writes = writes;
        this.keys = new SpoolKeys(sensor);
    }

    @Override
    public Recovered recover() {
        try {
            byte[] stored = db.get(keys.state());
            if (stored == null) {
                return Recovered.NOTHING;
            }
            SensorState state = StoredEvents.readState(stored);
            deletedUpTo = state.watermark();
            db.deleteRange(writes, keys.event(0, 0), keys.event(state.epoch(), state.watermark() + 1));
            return new Recovered(state, events(state), messages());
        } catch (RocksDBException e) {
            throw failed("recover", e);
        }
    }

    private List<Recovered.Entry> events(SensorState state) throws RocksDBException {
        var entries = new ArrayList<Recovered.Entry>();
        scan(keys.event(state.epoch(), state.watermark() + 1), keys.event(state.epoch(), -1), (key, value) -> {
            long seq = key.getLong(keys.numberAt(true));
            // What is damaged counts as missing; the core declares it lost.
            if (StoredEvents.isIntact(value) && seq <= state.lastSeq()) {
                boolean dropped = StoredEvents.isDropped(value);
                entries.add(new Recovered.Entry(
                        seq,
                        StoredEvents.payloadBytes(value),
                        dropped ? 0 : StoredEvents.type(value),
                        StoredEvents.isRenumbered(value),
                        dropped ? StoredEvents.type(value) : 0));
            }
        });
        return entries;
    }

    private List<RememberedMessage> messages() throws RocksDBException {
        var messages = new ArrayList<RememberedMessage>();
        scan(
                keys.message(0),
                keys.message(-1),
                (key, value) -> messages.add(new RememberedMessage(
                        key.getLong(keys.numberAt(false)),
                        new String(value, 1, value.length - 1, StandardCharsets.UTF_8),
                        value[0] == 1)));
        return messages;
    }

    private interface Visitor {
        void visit(ByteBuffer key, byte[] value);
    }

    private void scan(byte[] from, byte[] to, Visitor visitor) throws RocksDBException {
        try (var end = new Slice(to);
                var options = new ReadOptions().setIterateUpperBound(end);
                var iterator = db.newIterator(options)) {
            for (iterator.seek(from); iterator.isValid(); iterator.next()) {
                visitor.visit(ByteBuffer.wrap(iterator.key()), iterator.value());
            }
            iterator.status();
        }
    }

    @Override
    public void append(Effect.Append append) {
        freshEpoch = append.epoch();
        int done = 0;
        while (done < append.events().size()) {
            done = append(append, done);
        }
    }

    /** Writes the next events that fit one write batch, with the state after them; any number of them is consistent. */
    private int append(Effect.Append append, int first) {
        List<SensorEvent> events = append.events();
        int end = first;
        int bytes = SMALL_BATCH_BYTES;
        while (end < events.size() && (end == first || bytes < BATCH_BYTES)) {
            bytes += StoredEvents.bytes(events.get(end++)) + SMALL_BATCH_BYTES;
        }
        int last = end;
        write("append", bytes, batch -> {
            for (int i = first; i < last; i++) {
                SensorEvent event = events.get(i);
                batch.put(keys.event(append.epoch(), append.firstSeq() + i), value(event, 0));
                if (fresh.size() < FRESH_EVENTS) {
                    fresh.put(append.firstSeq() + i, event);
                }
            }
            batch.put(keys.state(), StoredEvents.write(append.state().without(events.size() - last)));
        });
        return last;
    }

    @Override
    public void save(Effect.Save save) {
        write("save", batch -> batch.put(keys.state(), StoredEvents.write(save.state())));
    }

    @Override
    public void trim(Effect.Trim trim) {
        fresh.keySet().removeIf(seq -> seq <= trim.upTo());
        write("trim", batch -> {
            long settled = trim.upTo() - deletedUpTo;
            if (settled > SINGLE_DELETES) {
                batch.deleteRange(keys.event(trim.epoch(), deletedUpTo + 1), keys.event(trim.epoch(), trim.upTo() + 1));
            } else {
                for (long i = 1; i <= settled; i++) {
                    batch.delete(keys.event(trim.epoch(), deletedUpTo + i));
                }
            }
            deletedUpTo = Math.max(deletedUpTo, trim.upTo());
            batch.put(keys.state(), StoredEvents.write(trim.state()));
        });
    }

    @Override
    public void drop(Effect.Drop drop) {
        write("drop", batch -> {
            for (long i = 0; i <= drop.to() - drop.from(); i++) {
                fresh.remove(drop.from() + i);
                batch.put(keys.event(drop.epoch(), drop.from() + i), StoredEvents.dropped(drop.reason()));
            }
            batch.put(keys.state(), StoredEvents.write(drop.state()));
        });
    }

    @Override
    public void renumber(Effect.Renumber renumber) {
        fresh.clear();
        deletedUpTo = renumber.firstSeq() - 1;
        int marks = renumber.flagged() ? StoredEvents.RENUMBERED : 0;
        write("renumber", batch -> {
            batch.deleteRange(keys.event(renumber.fromEpoch(), 0), keys.event(renumber.fromEpoch(), -1));
            long seq = renumber.firstSeq();
            for (long old : renumber.seqs()) {
                byte[] stored = db.get(keys.event(renumber.fromEpoch(), old));
                SensorEvent event = stored == null ? null : StoredEvents.read(stored);
                // One that cannot be read keeps its new number: sending it finds nothing there and declares it.
                if (stored != null && event != null) {
                    batch.put(
                            keys.event(renumber.toEpoch(), seq),
                            value(event, marks | (StoredEvents.isRenumbered(stored) ? StoredEvents.RENUMBERED : 0)));
                }
                seq++;
            }
            batch.put(keys.state(), StoredEvents.write(renumber.state()));
        });
    }

    @Override
    public void remember(Effect.Remember remember) {
        RememberedMessage message = remember.message();
        byte[] id = message.msgId().getBytes(StandardCharsets.UTF_8);
        byte[] value = ByteBuffer.allocate(1 + id.length)
                .put((byte) (message.applied() ? 1 : 0))
                .put(id)
                .array();
        write("remember", batch -> {
            batch.put(keys.message(message.ordinal()), value);
            if (message.ordinal() >= MESSAGES) {
                batch.delete(keys.message(message.ordinal() - MESSAGES));
            }
        });
    }

    @Override
    public @Nullable SensorEvent read(long epoch, long seq) {
        SensorEvent appended = epoch == freshEpoch ? fresh.remove(seq) : null;
        if (appended != null) {
            return appended;
        }
        try {
            byte[] stored = db.get(keys.event(epoch, seq));
            return stored == null ? null : StoredEvents.read(stored);
        } catch (RocksDBException e) {
            // A damaged block: the event is lost, the others may be fine.
            return null;
        }
    }

    private byte[] value(SensorEvent event, int marks) {
        int bytes = StoredEvents.bytes(event);
        if (scratch.capacity() != bytes) {
            scratch = ByteBuffer.allocate(bytes);
        }
        StoredEvents.write(event, marks, scratch);
        return scratch.array();
    }

    private interface Writing {
        void into(WriteBatch batch) throws RocksDBException;
    }

    private void write(String what, Writing writing) {
        write(what, SMALL_BATCH_BYTES, writing);
    }

    private void write(String what, int bytes, Writing writing) {
        try (var batch = new WriteBatch(bytes)) {
            writing.into(batch);
            db.write(writes, batch);
        } catch (RocksDBException e) {
            throw failed(what, e);
        }
    }

    private static SpoolException failed(String what, RocksDBException cause) {
        return new SpoolException("the spool failed to " + what, cause);
    }
}
