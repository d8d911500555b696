package io.sallyport.session.core;

/**
 * How fast the sensors of one customer may connect to one node. Those who are refused are spread over the time that the
 * ones before them need, so that they come back about as fast as they can be admitted and not all in the same second.
 * Thread-safe.
 */
public final class ConnectRate {
    static final int MIN_RETRY_MS = 4_000;
    static final int MAX_RETRY_MS = 60_000;
    /** For each one who waits per connect a second. Less than a second: chance leaves gaps that others have to fill. */
    private static final long SPREAD_MS = 600;

    /** A fifth of a second at the full rate may come at once. */
    private static final long BURST_US = 200_000;

    private static final long US_PER_SECOND = 1_000_000;

    private final int perSecond;
    /** When the connects admitted so far are paid for. */
    private long paidUntilUs = Long.MIN_VALUE;

    /** How many were told to come back in which second, by the second modulo the length. */
    private final int[] returning = new int[MAX_RETRY_MS / 1_000 + 2];

    private int waiting;
    private long second = Long.MIN_VALUE / 2;

    public ConnectRate(int perSecond) {
        this.perSecond = perSecond;
    }

    /** @return 0 = admitted; otherwise the middle of the range of times, in ms, to come back after */
    public synchronized int connect(long monotonicMs) {
        long nowUs = monotonicMs * 1_000;
        forgetReturned(monotonicMs / 1_000);
        long startUs = Math.max(paidUntilUs, nowUs - Math.max(BURST_US, US_PER_SECOND / perSecond));
        long paidUs = startUs + US_PER_SECOND / perSecond;
        if (paidUs <= nowUs) {
            paidUntilUs = paidUs;
            return 0;
        }
        waiting++;
        int middleMs = (int) Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, waiting * SPREAD_MS / perSecond));
        returning[index((monotonicMs + middleMs) / 1_000)]++;
        return middleMs;
    }

    /** Those whose time has come are here again, or have given up. */
    private void forgetReturned(long nowSecond) {
        long from = Math.max(second + 1, nowSecond - returning.length + 1);
        for (long past = from; past <= nowSecond; past++) {
            waiting -= returning[index(past)];
            returning[index(past)] = 0;
        }
        second = Math.max(second, nowSecond);
    }

    private int index(long ofSecond) {
        return (int) Math.floorMod(ofSecond, (long) returning.length);
    }
}
