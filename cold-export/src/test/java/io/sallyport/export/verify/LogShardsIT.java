package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class LogShardsIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();

    private final Ledger zero = new Ledger(0, 0, "a");

    @Test
    void shouldNotTakeSegmentsWhoseRecordsCameMeanwhile() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP));
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", BOOTSTRAP), new ByteArraySerializer(), new ByteArraySerializer());
                var shards = new LogShards(BOOTSTRAP)) {
            admin.deleteRecords(Map.of(
                            new TopicPartition(Topics.STRUCTURED.name(), 0), RecordsToDelete.beforeOffset(-1),
                            new TopicPartition(Topics.PROOF_SEGMENTS.name(), 0), RecordsToDelete.beforeOffset(-1)))
                    .all()
                    .get();
            zero.segment(10).segment(5);
            var signed = Ledger.checkpoint(zero);
            send(producer, 0, 0);
            LogVerifier.Shard shard = shards.shard(0);
            // Somebody writes on, after it was decided how far to read; the records only become readable later.
            zero.segment(7);
            for (ProofSegment segment : zero.segments.subList(2, 3)) {
                send(producer, Topics.PROOF_SEGMENTS.name(), segment.toByteArray());
            }
            Verdict verdict = new LogVerifier(
                            Ledger.CELL, Optional.of(Ledger.pin(signed)), Optional.of(signed), key -> Optional.empty())
                    .verify(List.of(shard));
            assertThat(verdict.exit()).as("%s", verdict).isZero();
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int fromRecord, int fromSegment) throws Exception {
        for (StructuredRecord record : zero.records.subList(fromRecord, zero.records.size())) {
            send(producer, Topics.STRUCTURED.name(), record.toByteArray());
        }
        for (ProofSegment segment : zero.segments.subList(fromSegment, zero.segments.size())) {
            send(producer, Topics.PROOF_SEGMENTS.name(), segment.toByteArray());
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, byte[] value) throws Exception {
        producer.send(new ProducerRecord<>(topic, 0, new byte[] {1}, value)).get();
    }
}
