package io.sallyport.consumer.kafka;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.broker.CommittedLog;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.Takeover;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes records as the normalizer does, and reads what a consumer wrote. */
final class TestLog implements AutoCloseable {
    private final String bootstrap = TestBroker.shared().bootstrapServers();
    private final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer());

    static StructuredRecord event(String sensor, long seq, int type, Origin origin) {
        return StructuredRecord.newBuilder()
                .setEvent(Envelope.newBuilder()
                        .setCustomerId("acme")
                        .setSensorId(sensor)
                        .setEpoch(1)
                        .setSeq(seq)
                        .setEventType(type)
                        .setPayload(ByteString.copyFromUtf8("{}"))
                        .setOrigin(origin))
                .build();
    }

    static Origin origin(int shard, int generation, long rawOffset) {
        return Origin.newBuilder()
                .setShard(shard)
                .setRawPartition(shard)
                .setGeneration(generation)
                .setRawOffset(rawOffset)
                .build();
    }

    /** @return the record's offset */
    long write(int shard, String sensor, StructuredRecord record) throws Exception {
        return write(Topics.STRUCTURED.name(), shard, "acme/" + sensor, record.toByteArray());
    }

    long write(String topic, int partition, String key, byte[] value) throws Exception {
        return producer.send(new ProducerRecord<>(topic, partition, key.getBytes("US-ASCII"), value))
                .get()
                .offset();
    }

    /** What the topic `generations` says of takeovers from now on. */
    void generations(Takeover... takeovers) throws Exception {
        var generations = Generations.newBuilder().addAllTakeovers(List.of(takeovers));
        write(Topics.GENERATIONS.name(), 0, "0", generations.build().toByteArray());
    }

    /** Retention takes the records of a shard below an offset. */
    void cut(int shard, long offset) throws Exception {
        var partition = new TopicPartition(Topics.STRUCTURED.name(), shard);
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get();
        }
    }

    /** Where a group stands in a shard; -1 where it stands nowhere. */
    long committed(String group, int shard) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            OffsetAndMetadata at = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(Topics.STRUCTURED.name(), shard));
            return at == null ? -1 : at.offset();
        }
    }

    /** Puts a group without members somewhere. */
    void commit(String group, int shard, long offset, String text) throws Exception {
        var at = Map.of(new TopicPartition(Topics.STRUCTURED.name(), shard), new OffsetAndMetadata(offset, text));
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.alterConsumerGroupOffsets(group, at).all().get();
        }
    }

    /** What a batch of `coverage` may have, in bytes: in 100 the end of a transaction fits, and no marker. */
    void coverageTakes(int bytes) throws Exception {
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, Topics.COVERAGE.name());
        var most = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.incrementalAlterConfigs(Map.of(topic, List.of(new AlterConfigOp(most, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    /**
     * Events {@code from} … {@code to} of generation 0, of a type that everybody wants.
     *
     * @return offset of the last
     */
    long events(int shard, String sensor, long from, long to) throws Exception {
        long last = -1;
        for (long seq = from; seq <= to; seq++) {
            last = write(shard, sensor, event(sensor, seq, 4, origin(shard, 0, seq)));
        }
        return last;
    }

    /** Everything committed in a topic now. */
    <V extends MessageLite> List<V> values(TopicSpec<V> topic) throws InvalidProtocolBufferException {
        var values = new ArrayList<V>();
        for (ConsumerRecord<byte[], byte[]> record : CommittedLog.read(bootstrap, topic.name())) {
            values.add(topic.value().orElseThrow().parseFrom(record.value()));
        }
        return values;
    }

    @Override
    public void close() {
        producer.close();
    }
}
