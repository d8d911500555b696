package io.sallyport.session.core;

import io.sallyport.proto.log.v1.CustomerUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What each customer's sensors brought in on one day: counted here, and heard of the other nodes. Only today counts, so
 * what a node said that is gone since still stands until midnight. Thread-safe.
 */
public final class DailyUsage {
    private static final long DAY_MS = 86_400_000;

    /** Only of customers that exist, so their number is bounded. */
    private final Map<String, Counter> here = new ConcurrentHashMap<>();
    /** By node; at most one entry for each of its customers. */
    private final Map<Integer, Map<String, CustomerUsage>> elsewhere = new ConcurrentHashMap<>();

    /** Days since 1970, UTC. */
    public static int dayOf(long wallMs) {
        return (int) Math.floorDiv(wallMs, DAY_MS);
    }

    /** Until the day of UTC ends. */
    public static long restOfDayMs(long wallMs) {
        return DAY_MS - Math.floorMod(wallMs, DAY_MS);
    }

    /** One customer's bytes on this node. */
    public static final class Counter {
        private int day;
        private long bytes;

        private Counter() {}

        public synchronized void add(long received, int today) {
            if (today > day) {
                day = today;
                bytes = 0;
            }
            bytes += received;
        }

        private synchronized void continueFrom(CustomerUsage before) {
            if (before.getDay() > day) {
                day = before.getDay();
                bytes = before.getBytes();
            } else if (before.getDay() == day) {
                bytes = Math.max(bytes, before.getBytes());
            }
        }

        private synchronized long of(int today) {
            return day == today ? bytes : 0;
        }
    }

    public Counter counter(String customerId) {
        return here.computeIfAbsent(customerId, customer -> new Counter());
    }

    /** What an earlier incarnation of this node counted; to be told before anything is counted here. */
    public void continueFrom(List<CustomerUsage> before) {
        before.forEach(usage -> counter(usage.getCustomerId()).continueFrom(usage));
    }

    /** What another node counted so far. */
    public void heard(int node, List<CustomerUsage> usage) {
        Map<String, CustomerUsage> byCustomer = new ConcurrentHashMap<>();
        usage.forEach(of -> byCustomer.put(of.getCustomerId(), of));
        elsewhere.put(node, byCustomer);
    }

    /** Bytes of a customer today on all nodes, as far as is known here. */
    public long total(String customerId, int today) {
        Counter counted = here.get(customerId);
        long total = counted == null ? 0 : counted.of(today);
        for (Map<String, CustomerUsage> node : elsewhere.values()) {
            CustomerUsage usage = node.get(customerId);
            if (usage != null && usage.getDay() == today) {
                total += usage.getBytes();
            }
        }
        return total;
    }

    /** What was counted here today. */
    public List<CustomerUsage> today(int today) {
        var usage = new ArrayList<CustomerUsage>();
        here.forEach((customer, counted) -> {
            long bytes = counted.of(today);
            if (bytes > 0) {
                usage.add(CustomerUsage.newBuilder()
                        .setCustomerId(customer)
                        .setDay(today)
                        .setBytes(bytes)
                        .build());
            }
        });
        return usage;
    }
}
