package io.sallyport.fanout.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.RowStore;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Keeps topics as rows. What cannot be read, or is not what its key names, is alerted and left out. */
public final class RowSink implements TopicTail.Sink {
    private final RowStore store;
    private final Map<String, Table> tables;
    private final Consumer<Row> written;
    private final Alerts alerts;

    /**
     * @param tables topic to table
     * @param written called with each row once it is kept
     */
    public RowSink(RowStore store, Map<String, Table> tables, Consumer<Row> written, Alerts alerts) {
        this.store = store;
        this.tables = Map.copyOf(tables);
        this.written = written;
        this.alerts = alerts;
    }

    @Override
    public Map<TopicPartition, Long> positions() {
        var positions = new HashMap<TopicPartition, Long>();
        store.positions().forEach((source, position) -> {
            int at = source.lastIndexOf('/');
            positions.put(
                    new TopicPartition(source.substring(0, at), Integer.parseInt(source.substring(at + 1))), position);
        });
        return positions;
    }

    @Override
    public void apply(List<ConsumerRecord<byte[], byte[]>> records, Map<TopicPartition, Long> next) {
        var rows = new ArrayList<Row>(records.size());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.key() == null) {
                alerts.raise(AlertKind.UNDECODABLE, place(record) + " has no key");
                continue;
            }
            try {
                rows.add(Rows.of(
                        Objects.requireNonNull(tables.get(record.topic())),
                        new String(record.key(), StandardCharsets.UTF_8),
                        record.value()));
            } catch (Rows.ForeignException e) {
                alerts.raise(AlertKind.CROSS_TENANT, place(record) + " is not what its key names");
            } catch (InvalidProtocolBufferException e) {
                alerts.raise(AlertKind.UNDECODABLE, place(record) + " cannot be read: " + e.getMessage());
            }
        }
        var positions = new HashMap<String, Long>();
        next.forEach((partition, position) -> positions.put(partition.topic() + '/' + partition.partition(), position));
        store.write(rows, positions);
        rows.forEach(written);
    }

    private static String place(ConsumerRecord<byte[], byte[]> record) {
        return "%s partition %d offset %d".formatted(record.topic(), record.partition(), record.offset());
    }
}
