package io.sallyport.session.core;

import java.util.Comparator;
import java.util.List;

/** Which sensors of one customer bring in so much more than the others that a person should look at them. */
public final class Outliers {
    /** Times the median of the fleet. */
    public static final long FACTOR = 100;
    /** In a fleet smaller than this there is no saying who is unusual. */
    public static final int MIN_FLEET = 5;
    /** Below this nobody is, however quiet the others are. */
    public static final long MIN_BYTES = 1 << 20;
    /** Named of one fleet at a time: where there are more, it is the fleet that changed. */
    public static final int MAX_NAMED = 10;

    private Outliers() {}

    /** What a sensor brought in over the time that is looked at. */
    public record Volume<S>(S sensor, long bytes) {}

    /**
     * @param outliers the largest first
     * @param medianBytes of the fleet
     */
    public record Found<S>(List<Volume<S>> outliers, long medianBytes) {}

    /** @param fleet every sensor of the customer that was connected all the time, the silent ones too */
    public static <S> Found<S> find(List<Volume<S>> fleet) {
        if (fleet.size() < MIN_FLEET) {
            return new Found<>(List.of(), 0);
        }
        long[] sorted = fleet.stream().mapToLong(Volume::bytes).sorted().toArray();
        long median = sorted[(sorted.length - 1) / 2];
        long least = Math.max(MIN_BYTES, Math.max(1, median) * FACTOR);
        List<Volume<S>> outliers = fleet.stream()
                .filter(volume -> volume.bytes() >= least)
                .sorted(Comparator.comparingLong((Volume<S> volume) -> volume.bytes())
                        .reversed())
                .limit(MAX_NAMED)
                .toList();
        return new Found<>(outliers, median);
    }
}
