package io.sallyport.fanout.config;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.RowStore;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import io.sallyport.fanout.kafka.ControlSink;
import io.sallyport.fanout.kafka.RowSink;
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
        control = tail(bootstrapServers, "fanout-control", ControlSink.TOPICS, sink, alerts);
        decisions = rows(
                bootstrapServers,
                "fanout-decisions",
                Map.of(Topics.MESSAGE_DECISIONS.name(), Table.DECISIONS, Topics.SEGMENTS.name(), Table.SEGMENTS),
                store,
                read,
                alerts);
        // Apart from the decisions, so that a flood of states does not hold up those who wait for an answer.
        status = rows(
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

    private static TopicTail rows(
            String bootstrapServers,
            String name,
            Map<String, Table> tables,
            RowStore store,
            Consumer<Row> read,
            Alerts alerts) {
        return tail(
                bootstrapServers, name, List.copyOf(tables.keySet()), new RowSink(store, tables, read, alerts), alerts);
    }

    private static TopicTail tail(
            String bootstrapServers, String name, List<String> topics, TopicTail.Sink sink, Alerts alerts) {
        return new TopicTail(
                TailSource.of(bootstrapServers, name, topics).quick(),
                sink,
                e -> alerts.raise(AlertKind.WORKER_FAILED, name + " starts again after " + e));
    }
}
