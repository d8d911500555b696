package io.sallyport.fanout.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.fanout.core.Freshness;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.Request;
import io.sallyport.proto.fanout.v1.ParkedRequest;
import io.sallyport.proto.log.v1.IngressRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Requests that name what this node does not know, or must not know from yesterday, until it has read on. The task's
 * thread decides for many customers and never waits: it looks here again and again. The requests of a customer keep
 * their order, so one that waits holds those of the same customer up, and nobody else's. All of it is in the store; the
 * heap has the keys and what each waits for.
 */
final class Parking {
    /** Most requests of a customer that wait: a customer who asks for more is refused, and takes no room of others. */
    static final int MOST_OF_A_CUSTOMER = 256;

    private record Parked(String key, CompletableFuture<Boolean> upToDate) {}

    private final KeyValueStore<String, byte[]> store;
    private final Freshness freshness;
    private final TreeMap<String, Deque<Parked>> customers = new TreeMap<>();

    /** Takes up what the task left behind, here or on another node. */
    Parking(KeyValueStore<String, byte[]> store, Freshness freshness) {
        this.store = store;
        this.freshness = freshness;
        try (var left = store.all()) {
            while (left.hasNext()) {
                wait(left.next().key);
            }
        }
    }

    boolean isEmpty() {
        return customers.isEmpty();
    }

    boolean holds(String customerId) {
        return customers.containsKey(customerId);
    }

    /** False where too many of the customer wait already; the request is not kept then. */
    boolean park(Request request, long appendedAtMs) {
        Deque<Parked> before = customers.get(request.customerId());
        if (before != null && before.size() >= MOST_OF_A_CUSTOMER) {
            return false;
        }
        String key = "%s/%020d".formatted(request.customerId(), request.revision());
        store.put(
                key,
                ParkedRequest.newBuilder()
                        .setAppendedAtMs(appendedAtMs)
                        .setRecord(request.record().toByteString())
                        .build()
                        .toByteArray());
        wait(key);
        return true;
    }

    /** Hands on, of each customer, at most one request whose wait is over. */
    void release(Consumer<Request> decide) {
        for (String customer : List.copyOf(customers.keySet())) {
            next(customer).ifPresent(decide);
        }
    }

    private Optional<Request> next(String customer) {
        Deque<Parked> waiting = customers.getOrDefault(customer, new ArrayDeque<>());
        Parked first = waiting.peekFirst();
        if (first == null || !first.upToDate().isDone()) {
            return Optional.empty();
        }
        waiting.removeFirst();
        if (waiting.isEmpty()) {
            customers.remove(customer);
        }
        return Optional.ofNullable(store.delete(first.key())).map(kept -> request(first.key(), kept));
    }

    private void wait(String key) {
        customers
                .computeIfAbsent(Keys.customerOf(key), customer -> new ArrayDeque<>())
                .addLast(new Parked(key, freshness.upToDate()));
    }

    private static Request request(String key, byte[] kept) {
        try {
            var parked = ParkedRequest.parseFrom(kept);
            return new Request(
                    Keys.customerOf(key),
                    Long.parseLong(key.substring(key.indexOf('/') + 1)),
                    parked.getAppendedAtMs() * 1_000,
                    IngressRecord.parseFrom(parked.getRecord()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of parked requests holds what is no request", e);
        }
    }
}
