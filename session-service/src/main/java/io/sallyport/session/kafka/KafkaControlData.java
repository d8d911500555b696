package io.sallyport.session.kafka;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CellAssignment;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Customers and their cells, followed in the control topics. While the broker is away, the last view stays. */
public final class KafkaControlData implements ControlData, AutoCloseable {
    private final Map<String, Customer> customers = new ConcurrentHashMap<>();
    private final Map<String, CellAssignment> cells = new ConcurrentHashMap<>();
    private final TopicView<Customer> customersView;
    private final TopicView<CellAssignment> cellsView;

    public KafkaControlData(String bootstrapServers, int node) {
        this.customersView = new TopicView<>(Topics.CUSTOMERS, bootstrapServers, "customers-" + node, into(customers));
        this.cellsView = new TopicView<>(Topics.CELLS, bootstrapServers, "cells-" + node, into(cells));
    }

    public void start() {
        customersView.start();
        cellsView.start();
    }

    @Override
    public boolean isLoaded() {
        return customersView.isLoaded() && cellsView.isLoaded();
    }

    @Override
    public CustomerStanding standing(String customerId) {
        Customer customer = customers.get(customerId);
        return customer != null && !customer.getSuspended() ? CustomerStanding.ACTIVE : CustomerStanding.INACTIVE;
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return Optional.ofNullable(cells.get(customerId))
                .map(CellAssignment::getEndpoint)
                .filter(endpoint -> !endpoint.isEmpty());
    }

    @Override
    public void close() {
        customersView.close();
        cellsView.close();
    }

    private static <V extends MessageLite> TopicView.Sink<V> into(Map<String, V> map) {
        return new TopicView.Sink<>() {
            @Override
            public void put(String key, V value) {
                map.put(key, value);
            }

            @Override
            public void remove(String key) {
                map.remove(key);
            }
        };
    }
}
