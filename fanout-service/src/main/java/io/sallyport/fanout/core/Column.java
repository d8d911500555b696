package io.sallyport.fanout.core;

import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One field of all sensors of a customer: a number per row, and the {@link Dictionary} that says what it stands for. */
final class Column<V> {
    private final Dictionary<V> dictionary = new Dictionary<>();
    private int[] codes = new int[0];

    /** @param value null where the row has none */
    void set(int row, @Nullable V value) {
        if (row >= codes.length) {
            if (value == null) {
                return;
            }
            int from = codes.length;
            codes = Arrays.copyOf(codes, Math.max(row + 1, from * 2));
            Arrays.fill(codes, from, codes.length, Dictionary.NONE);
        }
        int before = codes[row];
        codes[row] = value == null ? Dictionary.NONE : dictionary.hold(value);
        dictionary.release(before);
    }

    @Nullable
    V get(int row) {
        int code = code(row);
        return code == Dictionary.NONE ? null : dictionary.value(code);
    }

    /** Whether no row has a value. */
    boolean isEmpty() {
        return dictionary.isEmpty();
    }

    RowTest present() {
        return row -> Truth.of(code(row) != Dictionary.NONE);
    }

    /** Asks {@code holds} once per distinct value, and then only looks rows up. */
    RowTest test(Predicate<V> holds) {
        var values = dictionary.values();
        var truths = new byte[values.size()];
        for (int code = 0; code < truths.length; code++) {
            V value = values.get(code);
            truths[code] = value == null ? Truth.UNKNOWN : Truth.of(holds.test(value));
        }
        return row -> {
            int code = code(row);
            return code == Dictionary.NONE ? Truth.UNKNOWN : truths[code];
        };
    }

    private int code(int row) {
        return row < codes.length ? codes[row] : Dictionary.NONE;
    }
}
