package io.sallyport.fanout.publishing;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import io.sallyport.proto.log.v1.MessageDecision;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Requests of this node whose decision has not been read yet. Bounded, each customer's too. */
public final class DecisionWaiters {
    private final Map<String, CompletableFuture<MessageDecision>> waiting = new ConcurrentHashMap<>();
    private final Turns turns;
    private final int limit;

    /**
     * @param limit of all requests
     * @param limitOfACustomer of one customer's
     */
    public DecisionWaiters(int limit, int limitOfACustomer) {
        this.limit = limit;
        this.turns = new Turns(limitOfACustomer);
    }

    /** Empty where too many wait already. Whoever registers also takes the request away again. */
    Optional<CompletableFuture<MessageDecision>> register(String customerId, String requestId) {
        if (waiting.size() >= limit || !turns.take(customerId)) {
            return Optional.empty();
        }
        var decision = new CompletableFuture<MessageDecision>();
        waiting.put(requestId, decision);
        decision.whenComplete((value, failure) -> {
            waiting.remove(requestId);
            turns.giveBack(customerId);
        });
        return Optional.of(decision);
    }

    public int size() {
        return waiting.size();
    }

    /** A row was read and kept; decisions reach whoever waits for them. */
    public void read(Row row) {
        byte[] value = row.value();
        if (row.table() != Table.DECISIONS || value == null || waiting.isEmpty()) {
            return;
        }
        MessageDecision decision;
        try {
            decision = MessageDecision.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            // Kept as it is, and reported by whoever reads that row; nobody can be waiting for it.
            return;
        }
        var waiter = waiting.get(decision.getAnswer().getRequestId());
        if (waiter != null) {
            // Callers continue on threads of their own: this one reads for everybody.
            waiter.completeAsync(() -> decision);
        }
    }
}
