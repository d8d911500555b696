package io.sallyport.fanout.config;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.RowStore;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import io.sallyport.fanout.kafka.ControlSink;
import io.sallyport.fanout.kafka.RowSink;
import io.sallyport.fanout.kafka.TopicTail;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What this node reads: control data, decisions, and what becomes of messages, each at its own pace. */
final class Tails implements AutoCloseable {
    private final TopicTail control;
    private final TopicTail decisions;
    private final TopicTail status;

    /** @param read called with each row of decisions and segments once it is kept */
    Tails(String bootstrapServers, ControlSink sink, RowStore store, Consumer<Row> read, Alerts alerts) {
        control = new TopicTail(bootstrapServers, "fanout-control", ControlSink.TOPICS, sink, alerts);
        decisions = tail(
                bootstrapServers,
                "fanout-decisions",
                Map.of(Topics.MESSAGE_DECISIONS.name(), Table.DECISIONS, Topics.SEGMENTS.name(), Table.SEGMENTS),
                store,
                read,
                alerts);
        // Apart from the decisions, so that a flood of states does not hold up those who wait for an answer.
        status = tail(
                bootstrapServers,
                "fanout-status",
                Map.of(
                        Topics.FANOUT_PLANS.name(),
                        Table.PLANS,
                        Topics.MESSAGE_STATUS.name(),
                        Table.COUNTS,
                        Topics.TARGET_STATUS.name(),
                        Table.TARGETS),
                store,
                row -> {},
                alerts);
    }

    /** Those that the decider and the resolving of targets depend on. */
    List<TopicTail> deciding() {
        return List.of(control, decisions);
    }

    List<TopicTail> reading() {
        return List.of(decisions, status);
    }

    List<TopicTail> all() {
        return List.of(control, decisions, status);
    }

    @Override
    public void close() {
        all().forEach(TopicTail::close);
    }

    private static TopicTail tail(
            String bootstrapServers,
            String name,
            Map<String, Table> tables,
            RowStore store,
            Consumer<Row> read,
            Alerts alerts) {
        return new TopicTail(
                bootstrapServers, name, List.copyOf(tables.keySet()), new RowSink(store, tables, read, alerts), alerts);
    }
}
