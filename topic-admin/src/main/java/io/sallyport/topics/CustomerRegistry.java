package io.sallyport.topics;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Customer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The topic `customers` for those who change a record of it: each change keeps what it does not name. Reading and writing
 * are two steps, so of two people who change one customer in the same second the later one wins.
 */
public final class CustomerRegistry {
    private final String bootstrapServers;
    private final String by;

    /** @param by who makes the changes, for the audit trail */
    public CustomerRegistry(String bootstrapServers, String by) {
        this.bootstrapServers = bootstrapServers;
        this.by = by;
    }

    /**
     * The newest record of a customer; empty where it was removed, or never was.
     *
     * @throws IllegalStateException where the record cannot be read
     */
    public Optional<Customer> find(String id) {
        Optional<byte[]> found = Optional.empty();
        try (var reader = new CommittedReader(bootstrapServers, "sallyport-customers")) {
            for (var record : reader.fromBeginning(Topics.CUSTOMERS.name()).toEnd()) {
                if (record.key() != null && id.equals(new String(record.key(), StandardCharsets.UTF_8))) {
                    found = Optional.ofNullable(record.value());
                }
            }
        }
        try {
            return found.isEmpty() ? Optional.empty() : Optional.of(Customer.parseFrom(found.get()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the record of customer " + id + " cannot be read", e);
        }
    }

    /** Adds a customer that is not there; one that is, suspended ones too, stays as it is. */
    public void addMissing(String id) throws InterruptedException {
        if (find(id).isEmpty()) {
            put(Customer.newBuilder().setCustomerId(id).build());
        }
    }

    /** Adds a customer, or changes one that is there; durable when it returns, and effective within seconds. */
    public Customer put(String id, Consumer<Customer.Builder> change) throws InterruptedException {
        Customer.Builder customer = find(id).map(Customer::toBuilder).orElseGet(Customer::newBuilder);
        change.accept(customer);
        return put(customer.setCustomerId(id).build());
    }

    private Customer put(Customer customer) throws InterruptedException {
        try (var seeds = new ControlSeeds(bootstrapServers, by)) {
            seeds.put(customer);
        }
        return customer;
    }
}
