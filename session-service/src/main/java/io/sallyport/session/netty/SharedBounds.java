package io.sallyport.session.netty;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the connections of one customer, and those of one shard, share on this node. */
final class SharedBounds {
    private final MemoryLimits limits;
    private final int frameBytes;
    /** Only of customers that exist, so their number is bounded. */
    private final Map<String, MemoryBudget> customers = new ConcurrentHashMap<>();

    private final Map<Integer, MemoryBudget> shards = new ConcurrentHashMap<>();

    SharedBounds(MemoryLimits limits, int frameBytes) {
        this.limits = limits;
        this.frameBytes = frameBytes;
    }

    MemoryBudget customer(String customerId) {
        return customers.computeIfAbsent(customerId, customer -> new MemoryBudget(limits.customerBytes(), frameBytes));
    }

    MemoryBudget shard(int shard) {
        return shards.computeIfAbsent(shard, number -> new MemoryBudget(limits.shardBytes(), frameBytes));
    }
}
