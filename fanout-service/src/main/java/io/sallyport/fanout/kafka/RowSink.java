package io.sallyport.fanout.kafka;

import io.sallyport.fanout.core.RowStore;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Keeps topics as rows. */
public final class RowSink implements TopicTail.Sink {
    private final RowStore store;
    private final Map<String, Table> tables;
    private final Consumer<Row> written;

    /**
     * @param tables topic to table
     * @param written called with each row once it is kept
     */
    public RowSink(RowStore store, Map<String, Table> tables, Consumer<Row> written) {
        this.store = store;
        this.tables = Map.copyOf(tables);
        this.written = written;
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
    public void apply(List<ConsumerRecord<String, byte[]>> records, Map<TopicPartition, Long> next) {
        List<Row> rows = records.stream()
                .filter(record -> record.key() != null)
                .map(record ->
                        new Row(Objects.requireNonNull(tables.get(record.topic())), record.key(), record.value()))
                .toList();
        var positions = new HashMap<String, Long>();
        next.forEach((partition, position) -> positions.put(partition.topic() + '/' + partition.partition(), position));
        store.write(rows, positions);
        rows.forEach(written);
    }
}
