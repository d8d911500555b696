package io.sallyport.export.verify.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.verify.LogVerifier;
import io.sallyport.export.verify.UnreadableRecordException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** The shards of a cell as they stand in Kafka, one after the other. */
public final class LogShards implements Iterable<LogVerifier.Shard>, AutoCloseable {
    private final String bootstrapServers;
    private final int shards;
    private final List<AutoCloseable> open = new ArrayList<>();

    public LogShards(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        try (var reader = new CommittedReader(bootstrapServers, "sallyport-verify")) {
            shards = reader.partitions(Topics.STRUCTURED.name()).size();
        }
    }

    /** As many as the cell's topics have partitions. */
    public int count() {
        return shards;
    }

    @Override
    public Iterator<LogVerifier.Shard> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < shards;
            }

            @Override
            public LogVerifier.Shard next() {
                return shard(next++);
            }
        };
    }

    /** One shard alone; it takes the place of the one before. */
    public LogVerifier.Shard shard(int number) {
        closeOpen();
        // The records' end is looked up after the segments': whatever a segment covers was committed with it. Segments
        // behind their end would miss their records, where somebody writes meanwhile.
        var segments = read(Topics.PROOF_SEGMENTS, number);
        var records = read(Topics.STRUCTURED, number);
        return new LogVerifier.Shard(number, segments, records);
    }

    private <V extends MessageLite> Iterator<V> read(TopicSpec<V> topic, int number) {
        Parser<V> parser = topic.value().orElseThrow();
        var reader = new CommittedReader(bootstrapServers, "sallyport-verify");
        open.add(reader);
        var records = reader.fromBeginning(List.of(new TopicPartition(topic.name(), number)))
                .toExactEnd()
                .iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return records.hasNext();
            }

            @Override
            public V next() {
                var record = records.next();
                try {
                    return parser.parseFrom(record.value() == null ? new byte[0] : record.value());
                } catch (InvalidProtocolBufferException e) {
                    throw new UnreadableRecordException(
                            number, topic.name() + " partition " + number + " offset " + record.offset(), e);
                }
            }
        };
    }

    private void closeOpen() {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("a consumer that cannot be closed", e);
            }
        }
        open.clear();
    }

    @Override
    public void close() {
        closeOpen();
    }
}
