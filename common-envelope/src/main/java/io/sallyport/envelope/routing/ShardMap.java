package io.sallyport.envelope.routing;

import io.sallyport.envelope.identity.SensorKey;
import java.util.List;

/**
 * The append-only list of routing epochs of a cell, under a revision that changes compare and set against.
 *
 * @param revision grows by one with each accepted change
 * @param epochs ids dense from 0, effective_from strictly growing, never empty
 */
public record ShardMap(long revision, List<RoutingEpoch> epochs) {

    public ShardMap {
        epochs = List.copyOf(epochs);
        if (epochs.isEmpty()) {
            throw new IllegalArgumentException("a shard map has at least one routing epoch");
        }
        for (int i = 0; i < epochs.size(); i++) {
            if (epochs.get(i).id() != i
                    || (i > 0
                            && epochs.get(i).effectiveFromUs()
                                    <= epochs.get(i - 1).effectiveFromUs())) {
                throw new IllegalArgumentException("routing epochs are dense and their start times grow");
            }
        }
    }

    /** The map a cell starts with: one routing epoch, valid since ever, over {@code shards} shards of equal width. */
    public static ShardMap initial(int shards) {
        return new ShardMap(0, List.of(RoutingEpoch.even(0, 0, shards)));
    }

    /** The routing epoch in effect at {@code timeUs}; a time before the first one belongs to the first. */
    public RoutingEpoch at(long timeUs) {
        RoutingEpoch found = epochs.get(0);
        for (RoutingEpoch epoch : epochs) {
            if (epoch.effectiveFromUs() > timeUs) {
                break;
            }
            found = epoch;
        }
        return found;
    }

    /** The shard of a sensor's records at {@code timeUs}. */
    public int shardOf(SensorKey sensor, long timeUs) {
        return at(timeUs).shardOf(Slots.of(sensor));
    }
}
