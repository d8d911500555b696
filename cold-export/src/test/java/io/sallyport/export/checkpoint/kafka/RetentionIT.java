package io.sallyport.export.checkpoint.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.export.verify.Ledger;
import io.sallyport.export.verify.LogVerifier;
import io.sallyport.export.verify.Verdict;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker of its own, since it loses records. */
class RetentionIT {
    /** One that a local stack has not: how many there are is the topics' to say. */
    private static final int SHARD = 11;

    private static final TopicSizing SIZING = new TopicSizing(16, 16, 16, 1, 1, false);

    @TempDir
    Path dir;

    private final Ledger first = new Ledger(SHARD, 0, "a");
    private final Ledger second = new Ledger(SHARD, 1, "b");
    private final LogTrees trees = new LogTrees(Ledger.CELL);

    @Test
    void shouldStateWhatOfEachGenerationIsGoneAndVerifyTheRest() throws Exception {
        long now = System.currentTimeMillis();
        long afterRetention = now
                + Topics.STRUCTURED.retention().toMillis()
                + Duration.ofHours(1).toMillis();
        try (var broker = KraftBroker.start(dir, 0)) {
            String bootstrap = broker.bootstrapServers();
            try (var topics = new TopicAdmin(bootstrap, SIZING)) {
                topics.create();
            }
            first.segment(5).segment(5);
            second.segment(6).segment(4);
            try (var producer = new KafkaProducer<>(
                            Map.<String, Object>of("bootstrap.servers", bootstrap),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
                    var log = new CheckpointLog(bootstrap, Ledger.KEY);
                    var retention = new Retention(bootstrap)) {
                write(producer, first.records.subList(0, 8));
                write(producer, second.records.subList(0, 7));
                long cut = write(producer, first.records.subList(8, 10));
                write(producer, second.records.subList(7, 10));
                write(producer, first);
                write(producer, second);

                cut(bootstrap, cut);
                assertThat(retention.trims(log, trees, now))
                        .as("nothing is old enough to be gone")
                        .isEmpty();
                assertThat(verify(bootstrap, List.of()).exit()).isEqualTo(1);
                List<Trim> trims = retention.trims(log, trees, afterRetention);
                assertThat(trims).containsExactly(trim(0, 9), trim(1, 7));
                assertThat(verify(bootstrap, trims).exit()).as("consistent").isEqualTo(3);

                // Of the first generation everything is gone now.
                cut(bootstrap, cut + 2);
                assertThat(verify(bootstrap, trims).exit()).isEqualTo(1);
                trims = retention.trims(log, trees, afterRetention);
                assertThat(trims).containsExactly(trim(0, 10), trim(1, 8));
                assertThat(verify(bootstrap, trims).exit()).as("consistent").isEqualTo(3);
            }
        }
    }

    /** It has the coordinator's thread: what does not fit into one look goes on in the next one, and each shard gets its turn. */
    @Test
    void shouldReadInEachLookOnlyAsLongAsItMay() throws Exception {
        long afterRetention = System.currentTimeMillis()
                + Topics.STRUCTURED.retention().toMillis()
                + Duration.ofHours(1).toMillis();
        try (var broker = KraftBroker.start(dir, 0)) {
            String bootstrap = broker.bootstrapServers();
            try (var topics = new TopicAdmin(bootstrap, SIZING)) {
                topics.create();
            }
            var ledgers = List.of(first, new Ledger(SHARD + 1, 0, "a"), new Ledger(SHARD + 2, 0, "a"));
            try (var producer = new KafkaProducer<>(
                            Map.<String, Object>of("bootstrap.servers", bootstrap),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
                    var log = new CheckpointLog(bootstrap, Ledger.KEY);
                    var retention = new Retention(bootstrap, Duration.ZERO)) {
                for (Ledger ledger : ledgers) {
                    ledger.segment(5).segment(5);
                    write(producer, ledger.records);
                    write(producer, ledger);
                    cut(bootstrap, ledger.segments.get(0).getShard(), 4);
                }
                var stated = new TreeSet<Integer>();
                // A shard that was stated is stated again: nobody writes it to the log here.
                for (int look = 0; look < 10 * SIZING.shardsMax() && stated.size() < ledgers.size(); look++) {
                    List<Trim> trims = retention.trims(log, trees, afterRetention);
                    assertThat(trims).as("of one shard").hasSizeLessThanOrEqualTo(1);
                    trims.forEach(trim -> stated.add(trim.tree().shard()));
                }
                assertThat(stated).containsExactly(SHARD, SHARD + 1, SHARD + 2);
            }
        }
    }

    private static Trim trim(int generation, long firstPos) {
        return new Trim(new TreeKey(Ledger.CELL, SHARD, generation), firstPos);
    }

    private static Verdict verify(String bootstrap, List<Trim> trims) {
        try (var shards = new LogShards(bootstrap)) {
            return new LogVerifier(
                            Ledger.CELL,
                            Optional.empty(),
                            Optional.empty(),
                            key -> trims.stream()
                                    .filter(trim -> trim.tree().equals(key))
                                    .findFirst())
                    .verify(shards);
        }
    }

    /** @return offset of the last */
    private static long write(KafkaProducer<byte[], byte[]> producer, List<StructuredRecord> records) throws Exception {
        long last = -1;
        for (StructuredRecord record : records) {
            last = send(producer, Topics.STRUCTURED.name(), shard(record), record.toByteArray())
                    .offset();
        }
        return last;
    }

    private static int shard(StructuredRecord record) {
        return record.hasEvent()
                ? record.getEvent().getOrigin().getShard()
                : record.getMarker().getOrigin().getShard();
    }

    private void write(KafkaProducer<byte[], byte[]> producer, Ledger ledger) throws Exception {
        for (ProofSegment segment : ledger.segments) {
            RecordMetadata at = send(producer, Topics.PROOF_SEGMENTS.name(), segment.getShard(), segment.toByteArray());
            assertThat(trees.add(segment, at.timestamp())).isEmpty();
        }
    }

    private static RecordMetadata send(KafkaProducer<byte[], byte[]> producer, String topic, int shard, byte[] value)
            throws Exception {
        return producer.send(new ProducerRecord<>(topic, shard, new byte[] {1}, value))
                .get();
    }

    private static void cut(String bootstrap, long offset) throws Exception {
        cut(bootstrap, SHARD, offset);
    }

    private static void cut(String bootstrap, int shard, long offset) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.deleteRecords(Map.of(
                            new TopicPartition(Topics.STRUCTURED.name(), shard), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get();
        }
    }
}
