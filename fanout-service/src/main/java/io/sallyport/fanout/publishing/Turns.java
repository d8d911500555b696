package io.sallyport.fanout.publishing;

import java.util.concurrent.ConcurrentHashMap;

/** How many turns each customer has at a time. Remembers nobody who has none. Thread-safe. */
final class Turns {
    private final ConcurrentHashMap<String, Integer> taken = new ConcurrentHashMap<>();
    private final int most;

    /** @param most of one customer at a time */
    Turns(int most) {
        this.most = most;
    }

    /** False where the customer has all that it may have; else it must be given back once. */
    boolean take(String customerId) {
        var had = new boolean[1];
        taken.compute(customerId, (customer, count) -> {
            int before = count == null ? 0 : count;
            had[0] = before < most;
            return had[0] ? before + 1 : before;
        });
        return had[0];
    }

    void giveBack(String customerId) {
        taken.computeIfPresent(customerId, (customer, count) -> count == 1 ? null : count - 1);
    }
}
