package io.sallyport.session.core;

import io.sallyport.proto.log.v1.CustomerDemand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What customers' sensors want to bring in, measured here and heard of the other nodes, and from it the share that this
 * node has of a customer's rate. Shares follow from what the nodes *said*, this one included, so that all compute with
 * nearly the same numbers; only of its own sensors it counts those that are here now. Thread-safe.
 */
public final class CellDemand {
    /** A node that says nothing for so long is dead, and its sensors are elsewhere (semantics, section 6). */
    static final long DEAD_MS = 30_000;
    /** Three words of this node that it did not hear itself: it does not hear the others either. */
    static final long STALE_MS = 15_000;
    /** A little more than was used: a sender that grows shows it before it is slowed. */
    static final double HEADROOM = 1.25;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final int node;
    /** Only of customers that exist, so their number is bounded. */
    private final Map<String, TenantFlow> here = new ConcurrentHashMap<>();

    private final Map<Integer, Heard> nodes = new ConcurrentHashMap<>();
    private long lastSaidNanos;

    /** @param node ordinal of this one */
    public CellDemand(int node) {
        this.node = node;
    }

    private record Heard(long atMs, Map<String, CustomerDemand> byCustomer) {}

    /** From now on what flows here is part of what this node says. */
    public void measure(String customerId, TenantFlow flow) {
        here.put(customerId, flow);
    }

    /** What this node has to say to the others, of customers with sensors here; to be called every 5 s. */
    public synchronized List<CustomerDemand> say(long nowNanos) {
        // The first word tells of an unknown time, as of a second.
        double seconds = lastSaidNanos == 0 ? 1 : Math.max(1, (double) (nowNanos - lastSaidNanos) / NANOS_PER_SECOND);
        lastSaidNanos = nowNanos;
        var said = new ArrayList<CustomerDemand>();
        here.forEach((customer, flow) -> {
            TenantFlow.Use use = flow.takeUse(nowNanos);
            int sensors = flow.sensors();
            if (sensors > 0) {
                said.add(CustomerDemand.newBuilder()
                        .setCustomerId(customer)
                        .setSensors(sensors)
                        .setBytesPerSecond((long) (use.bytes() / seconds))
                        .setEventsPerSecond((long) (use.events() / seconds))
                        .setWaits(use.waits())
                        .build());
            }
        });
        return said;
    }

    /**
     * What a node said, this one included.
     *
     * @param saidMs when, on this node's monotonic clock
     */
    public void heard(int of, List<CustomerDemand> demand, long saidMs) {
        Map<String, CustomerDemand> byCustomer = new ConcurrentHashMap<>();
        demand.forEach(customer -> byCustomer.put(customer.getCustomerId(), customer));
        nodes.put(of, new Heard(saidMs, byCustomer));
    }

    /**
     * The part of a customer's rate that this node may let in: more than 0, at most 1.
     *
     * @param sensors of the customer that are connected here now
     * @param cell what the customer may bring in on all nodes together
     * @param nowMs monotonic
     */
    public double share(String customerId, int sensors, TenantFlow.Rate cell, long nowMs) {
        Heard own = nodes.get(node);
        if (own == null || nowMs - own.atMs() > STALE_MS) {
            return equalShare();
        }
        var claims = new ArrayList<QuotaShares.Claim>();
        long elsewhere = 0;
        for (Map.Entry<Integer, Heard> of : nodes.entrySet()) {
            CustomerDemand demand = of.getValue().byCustomer().get(customerId);
            if (demand == null
                    || demand.getSensors() == 0
                    || nowMs - of.getValue().atMs() > DEAD_MS) {
                continue;
            }
            if (of.getKey() == node) {
                // Of its own sensors it knows those of now.
                claims.add(claim(node, Math.max(1, sensors), demand, cell));
            } else {
                claims.add(claim(of.getKey(), demand.getSensors(), demand, cell));
                elsewhere += demand.getSensors();
            }
        }
        // One more than none: the first sensor may come at any moment.
        double floor = (double) Math.max(1, sensors) / (Math.max(1, sensors) + elsewhere);
        return Math.min(1, Math.max(floor, QuotaShares.of(node, claims)));
    }

    private static QuotaShares.Claim claim(int of, long sensors, CustomerDemand demand, TenantFlow.Rate cell) {
        double used = Math.max(
                (double) demand.getBytesPerSecond() / cell.bytesPerSecond(),
                (double) demand.getEventsPerSecond() / cell.eventsPerSecond());
        return new QuotaShares.Claim(of, sensors, demand.getWaits() ? Double.POSITIVE_INFINITY : HEADROOM * used);
    }

    /** One part for each node that lived when this one last heard of any. */
    private double equalShare() {
        long lastMs = nodes.values().stream().mapToLong(Heard::atMs).max().orElse(0);
        long others = nodes.entrySet().stream()
                .filter(of -> of.getKey() != node && lastMs - of.getValue().atMs() <= DEAD_MS)
                .count();
        return 1.0 / (others + 1);
    }
}
