package io.sallyport.normalizer.streams;

import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.RawRecord;
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
    private final Remembered remembered = new Remembered();

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
        for (Effect effect : decider.decide(raw, sensor -> new StoredSensor(remembered, sensor))
                .effects()) {
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

    private static final class Remembered implements StoredSensor.Entries {
        private final Map<Bytes, byte[]> entries = new HashMap<>();

        @Override
        public byte @Nullable [] get(Bytes key) {
            return entries.get(key);
        }

        @Override
        public void put(Bytes key, byte[] value) {
            entries.put(key, value);
        }

        @Override
        public void delete(Bytes key) {
            entries.remove(key);
        }
    }
}
