package io.sallyport.export.verify;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Looks for the record of one identity in one shard. After a replay several generations have one: the current one counts,
 * which is known only once the shard was read to its end.
 */
public final class RecordSearch {
    private final Identity identity;
    private final OptionalLong generation;
    private final CurrentRecords current;
    private final List<StructuredRecord> found = new ArrayList<>();

    /** What names an event. */
    public record Identity(String customerId, String sensorId, int epoch, long seq) {
        boolean isOf(StructuredRecord record) {
            return Prover.isEvent(record, customerId, sensorId, epoch, seq);
        }
    }

    /**
     * @param generation whose record is wanted, current or not; empty for the current one
     * @param known takeovers of the shard that the topic `generations` tells, whose records may be gone
     */
    public RecordSearch(Identity identity, OptionalLong generation, Collection<ShardTakeover> known) {
        this.identity = identity;
        this.generation = generation;
        this.current = new CurrentRecords(known);
    }

    /** The next record of the shard. */
    public void take(StructuredRecord record) {
        if (record.hasGeneration()) {
            current.add(ShardTakeover.of(record.getGeneration()));
        } else if (identity.isOf(record)) {
            found.add(record);
        }
    }

    /** What was found, at the end of the shard. */
    public Optional<StructuredRecord> found() {
        return found.stream()
                .filter(record -> generation.isPresent()
                        ? Integer.toUnsignedLong(record.getEvent().getOrigin().getGeneration())
                                == generation.getAsLong()
                        : current.of(record.getEvent().getOrigin()) == CurrentRecords.Standing.CURRENT)
                .findFirst();
    }
}
