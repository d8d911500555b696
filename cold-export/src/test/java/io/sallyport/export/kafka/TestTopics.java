package io.sallyport.export.kafka;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.work.TestShard;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The shards of the test JVM's broker, each with all that was written to it since the JVM began. Rows are written in
 * transactions, some of which are given up.
 */
public final class TestTopics {
    private static final List<TestTopics> SHARDS = new ArrayList<>();

    private final TestShard log;
    private final KafkaProducer<byte[], byte[]> producer;
    private int rows;
    private int segments;

    static {
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            SHARDS.add(new TestTopics(shard));
        }
    }

    private TestTopics(int shard) {
        log = new TestShard(shard);
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        TestBroker.shared().bootstrapServers(),
                        "transactional.id",
                        "test-" + UUID.randomUUID()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
    }

    public static TestTopics shard(int shard) {
        return SHARDS.get(shard);
    }

    public static List<TestTopics> all() {
        return SHARDS;
    }

    public TestShard log() {
        return log;
    }

    /** Writes what was added to {@link #log}: first as an attempt that is given up, then for good. */
    public void publish() {
        if (rows == log.structured().size() && segments == log.proof().size()) {
            return;
        }
        producer.beginTransaction();
        send();
        producer.flush();
        producer.abortTransaction();
        producer.beginTransaction();
        send();
        producer.commitTransaction();
        rows = log.structured().size();
        segments = log.proof().size();
    }

    private void send() {
        byte[] key = "-".getBytes(StandardCharsets.US_ASCII);
        for (var row : log.structured().subList(rows, log.structured().size())) {
            producer.send(new ProducerRecord<>(Topics.STRUCTURED.name(), log.shard(), key, row.value()));
        }
        for (var segment : log.proof().subList(segments, log.proof().size())) {
            producer.send(new ProducerRecord<>(Topics.PROOF_SEGMENTS.name(), log.shard(), key, segment.value()));
        }
    }
}
