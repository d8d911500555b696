package io.sallyport.fanout.core;

/**
 * Three-valued logic (semantics, section 6): a comparison with a missing value is neither true nor false. The values
 * are ordered FALSE, UNKNOWN, TRUE, so that `and` is the smaller and `or` the larger of two.
 */
final class Truth {
    static final byte FALSE = 0;
    static final byte UNKNOWN = 1;
    static final byte TRUE = 2;

    private Truth() {}

    static byte of(boolean holds) {
        return holds ? TRUE : FALSE;
    }

    static byte and(byte left, byte right) {
        return left < right ? left : right;
    }

    static byte or(byte left, byte right) {
        return left > right ? left : right;
    }

    static byte not(byte value) {
        return (byte) (TRUE - value);
    }
}
