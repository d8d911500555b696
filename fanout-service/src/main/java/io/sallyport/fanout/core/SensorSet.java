package io.sallyport.fanout.core;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/** Sensors of one customer, each once, in order of their ids. The ids are shared with the index, not copied. */
public final class SensorSet {
    public static final SensorSet EMPTY = new SensorSet(new String[0]);

    private final String[] ids;

    private SensorSet(String[] ids) {
        this.ids = ids;
    }

    /** Takes the first {@code count} of {@code ids}, which must be sorted and distinct. */
    static SensorSet ofSorted(String[] ids, int count) {
        return new SensorSet(Arrays.copyOf(ids, count));
    }

    public static SensorSet of(List<String> ids) {
        return new SensorSet(ids.stream().distinct().sorted().toArray(String[]::new));
    }

    public int size() {
        return ids.length;
    }

    /** How many plan chunks it takes. */
    public int chunks() {
        return (ids.length + FanoutLimits.CHUNK_SENSORS - 1) / FanoutLimits.CHUNK_SENSORS;
    }

    public List<String> chunk(int chunk) {
        int from = chunk * FanoutLimits.CHUNK_SENSORS;
        return range(from, FanoutLimits.CHUNK_SENSORS);
    }

    /** At most {@code count} ids from index {@code from} on. */
    public List<String> range(int from, int count) {
        return List.of(Arrays.copyOfRange(ids, Math.min(from, ids.length), Math.min(from + count, ids.length)));
    }

    /** At most {@code count} ids that come after {@code id}. */
    public List<String> after(String id, int count) {
        int at = Arrays.binarySearch(ids, id);
        return range(at < 0 ? -at - 1 : at + 1, count);
    }

    void digest(MessageDigest digest) {
        MessageContent.number(digest, ids.length);
        for (String id : ids) {
            MessageContent.text(digest, id);
        }
    }
}
