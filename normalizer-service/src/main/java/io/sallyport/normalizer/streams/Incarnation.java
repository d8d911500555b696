package io.sallyport.normalizer.streams;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A generation of the normalizer, as its instances run it.
 *
 * @param generation its number
 * @param starts where each shard begins that it has not begun yet; of no use to a generation that took over
 */
public record Incarnation(int generation, Map<Integer, Start> starts) {
    /** Every cell begins with it. */
    public static final Incarnation FIRST = new Incarnation(0, Map.of());

    private static final String APPLICATION = "sallyport-normalizer-";

    /**
     * Where a shard begins.
     *
     * @param fromOffset first raw record that is decided
     * @param snapshotOffset first chunk of its state in `normalizer-snapshots`; without one it begins with nothing
     * @param structuredOffset end of `structured` before it wrote anything
     * @param sinceMs when the snapshot was taken; 0 without one
     */
    public record Start(long fromOffset, OptionalLong snapshotOffset, long structuredOffset, long sinceMs) {}

    public Incarnation {
        starts = Map.copyOf(starts);
    }

    /** Name of the consumer group, and prefix of the changelog. */
    public String applicationId() {
        return applicationId(generation);
    }

    public static String applicationId(int generation) {
        return APPLICATION + Integer.toUnsignedString(generation);
    }

    /** Topics that exist for a generation alone. */
    public static List<String> ownTopics(int generation) {
        return List.of(applicationId(generation) + "-" + NormalizerTopology.STORE + "-changelog");
    }
}
