package io.sallyport.sim.spool;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.Recovered;
import io.sallyport.sim.core.SensorEvent;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Spools on the heap: gone with the process. Payloads are kept by reference, not copied. */
public final class MemorySpools implements SpoolStore {

    @Override
    public SensorSpool open(SensorKey sensor) {
        return new MemorySpool();
    }

    @Override
    public void close() {}

    private static final class MemorySpool implements SensorSpool {
        /** Stands for a number that was given up. */
        private static final SensorEvent DROPPED = new SensorEvent(0, 0, 0, new byte[0]);

        private SensorEvent[] ring = new SensorEvent[64];
        private long epoch;
        private long floor;
        private int head;
        private int size;

        @Override
        public Recovered recover() {
            return Recovered.NOTHING;
        }

        @Override
        public void append(Effect.Append append) {
            if (append.epoch() != epoch || append.firstSeq() != floor + size + 1) {
                throw new IllegalStateException("events are appended in order");
            }
            append.events().forEach(this::add);
        }

        @Override
        public void save(Effect.Save save) {}

        @Override
        public void trim(Effect.Trim trim) {
            while (floor < trim.upTo() && size > 0) {
                ring[head] = DROPPED;
                head = (head + 1) & (ring.length - 1);
                floor++;
                size--;
            }
            floor = Math.max(floor, trim.upTo());
        }

        @Override
        public void drop(Effect.Drop drop) {
            for (long offset = drop.from() - floor - 1; offset <= drop.to() - floor - 1; offset++) {
                ring[at((int) offset)] = DROPPED;
            }
        }

        @Override
        public void renumber(Effect.Renumber renumber) {
            var kept = new ArrayDeque<SensorEvent>();
            for (long seq : renumber.seqs()) {
                SensorEvent event = read(renumber.fromEpoch(), seq);
                kept.add(event == null ? DROPPED : event);
            }
            ring = new SensorEvent[64];
            head = 0;
            size = 0;
            epoch = renumber.toEpoch();
            floor = renumber.firstSeq() - 1;
            kept.forEach(this::add);
        }

        @Override
        public void remember(Effect.Remember remember) {}

        @Override
        public @Nullable SensorEvent read(long ofEpoch, long seq) {
            if (ofEpoch != epoch || seq <= floor || seq - floor > size) {
                return null;
            }
            SensorEvent event = ring[at((int) (seq - floor - 1))];
            return event == DROPPED ? null : event;
        }

        private void add(SensorEvent event) {
            if (size == ring.length) {
                var larger = new SensorEvent[size * 2];
                System.arraycopy(ring, head, larger, 0, size - head);
                System.arraycopy(ring, 0, larger, size - head, head);
                ring = larger;
                head = 0;
            }
            ring[at(size++)] = event;
        }

        private int at(int offset) {
            return (head + offset) & (ring.length - 1);
        }
    }
}
