package io.sallyport.fanout.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The distinct values of one column, each under a small number. A value that no row holds any more frees its number, so
 * that the size follows the rows and not their history.
 */
final class Dictionary<V> {
    /** The number of a row that has no value. */
    static final int NONE = -1;

    private final Map<V, Integer> codes = new HashMap<>();
    private final List<@Nullable V> values = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private int[] holders = new int[8];

    /** One more row holds {@code value}; its number. */
    int hold(V value) {
        Integer known = codes.get(value);
        int code = known != null ? known : add(value);
        holders[code]++;
        return code;
    }

    /** One row less holds the value of {@code code}. */
    void release(int code) {
        if (code != NONE && --holders[code] == 0) {
            codes.remove(value(code));
            values.set(code, null);
            free.add(code);
        }
    }

    V value(int code) {
        V value = values.get(code);
        if (value == null) {
            throw new IllegalStateException("no row holds the value " + code);
        }
        return value;
    }

    /** The value of each number; null for a free one. */
    List<@Nullable V> values() {
        return values;
    }

    boolean isEmpty() {
        return codes.isEmpty();
    }

    private int add(V value) {
        int code;
        if (free.isEmpty()) {
            code = values.size();
            values.add(value);
            if (code == holders.length) {
                holders = java.util.Arrays.copyOf(holders, code * 2);
            }
        } else {
            code = free.remove(free.size() - 1);
            values.set(code, value);
        }
        codes.put(value, code);
        return code;
    }
}
