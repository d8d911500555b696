package io.sallyport.session.kafka;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CellAssignment;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.session.core.CellDemand;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.core.CustomerTerms;
import io.sallyport.session.core.DailyUsage;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Customers, their cells and what they brought in, followed in the control topics. While the broker is away, the last view stays. */
public final class KafkaControlData implements ControlData, AutoCloseable {
    private final Map<String, Customer> customers = new ConcurrentHashMap<>();
    private final Map<String, CellAssignment> cells = new ConcurrentHashMap<>();
    private final TopicView<Customer> customersView;
    private final TopicView<CellAssignment> cellsView;
    private final TopicView<NodeStats> nodesView;
    private final DailyUsage usage = new DailyUsage();
    private final CellDemand demand;
    private final int node;

    public KafkaControlData(String bootstrapServers, int node) {
        this.customersView = new TopicView<>(Topics.CUSTOMERS, bootstrapServers, "customers-" + node, into(customers));
        this.cellsView = new TopicView<>(Topics.CELLS, bootstrapServers, "cells-" + node, into(cells));
        this.nodesView = new TopicView<>(Topics.NODE_STATS, bootstrapServers, "nodes-" + node, new UsageSink());
        this.demand = new CellDemand(node);
        this.node = node;
    }

    public void start() {
        customersView.start();
        cellsView.start();
        nodesView.start();
    }

    @Override
    public boolean isLoaded() {
        return customersView.isLoaded() && cellsView.isLoaded() && nodesView.isLoaded();
    }

    @Override
    public CustomerStanding standing(String customerId) {
        Customer customer = customers.get(customerId);
        return customer != null && !customer.getSuspended() ? CustomerStanding.ACTIVE : CustomerStanding.INACTIVE;
    }

    @Override
    public CustomerTerms terms(String customerId) {
        Customer customer = customers.get(customerId);
        // u64: beyond a long is as good as without end.
        return customer == null
                ? CustomerTerms.NONE
                : new CustomerTerms(
                        Math.max(0, customer.getBytesPerSecond()),
                        Math.max(0, customer.getEventsPerSecond()),
                        Math.max(0, customer.getBytesPerDay()),
                        customer.getRefusedOverQuota());
    }

    @Override
    public DailyUsage usage() {
        return usage;
    }

    @Override
    public CellDemand demand() {
        return demand;
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
        nodesView.close();
    }

    /** What nodes counted and want; of the counts this one's own words are news only from before its start. */
    private final class UsageSink implements TopicView.Sink<NodeStats> {
        @Override
        public void put(String key, NodeStats stats) {
            long ageMs = Math.max(0, System.currentTimeMillis() - stats.getAtUs() / 1_000);
            demand.heard(
                    stats.getNode(), stats.getDemandList(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) - ageMs);
            if (stats.getNode() != node) {
                usage.heard(stats.getNode(), stats.getUsageList());
            } else if (!nodesView.isLoaded()) {
                usage.continueFrom(stats.getUsageList());
            }
        }

        @Override
        public void remove(String key) {
            // What was brought in stays brought in; it is forgotten with its day.
        }
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
