package io.sallyport.normalizer.streams;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.SensorStore;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/** Derives one shard as a generation would, in memory, and writes nothing. Belongs to one thread. */
public final class Derivation implements AutoCloseable {
    private final Decider decider;
    private final Map<Bytes, byte[]> remembered = new HashMap<>();

    public Derivation(Decider decider) {
        this.decider = decider;
    }

    /** An entry of the snapshot that it begins with. */
    public void remember(byte[] key, byte[] value) {
        remembered.put(Bytes.wrap(key), value);
    }

    /** @param each gets what would stand in `structured`, without its origin; valid until the next call */
    public void derive(RawRecord raw, Consumer<StructuredRecord> each) {
        if (Role.fencing(raw).isPresent()) {
            return;
        }
        for (Effect effect : decider.decide(raw, Remembered::new).effects()) {
            if (effect instanceof Effect.Commit commit) {
                each.accept(StructuredRecord.newBuilder()
                        .setEvent(OutgoingRecords.event(commit, Origin.newBuilder()))
                        .build());
            } else if (effect instanceof Effect.Mark mark) {
                each.accept(StructuredRecord.newBuilder()
                        .setMarker(OutgoingRecords.marker(mark, raw.appendMs() * 1_000, Origin.newBuilder()))
                        .build());
            }
        }
    }

    @Override
    public void close() {
        decider.close();
    }

    private final class Remembered implements SensorStore {
        private final SensorKey sensor;

        Remembered(SensorKey sensor) {
            this.sensor = sensor;
        }

        @Override
        public byte @Nullable [] head() {
            return remembered.get(StoreKeys.head(sensor));
        }

        @Override
        public void putHead(byte[] head) {
            remembered.put(StoreKeys.head(sensor), head);
        }

        @Override
        public byte @Nullable [] epoch(long epoch) {
            return remembered.get(StoreKeys.epoch(sensor, epoch));
        }

        @Override
        public void putEpoch(long epoch, byte[] state) {
            remembered.put(StoreKeys.epoch(sensor, epoch), state);
        }

        @Override
        public void deleteEpoch(long epoch) {
            remembered.remove(StoreKeys.epoch(sensor, epoch));
        }

        @Override
        public byte @Nullable [] chunk(long epoch, long index) {
            return remembered.get(StoreKeys.chunk(sensor, epoch, index));
        }

        @Override
        public void putChunk(long epoch, long index, byte[] chunk) {
            remembered.put(StoreKeys.chunk(sensor, epoch, index), chunk);
        }

        @Override
        public void deleteChunk(long epoch, long index) {
            remembered.remove(StoreKeys.chunk(sensor, epoch, index));
        }
    }
}
