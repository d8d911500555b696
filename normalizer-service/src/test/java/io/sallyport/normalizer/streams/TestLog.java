package io.sallyport.normalizer.streams;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.broker.CommittedLog;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes `raw` as a gateway does, and reads what came of it, one sensor at a time. */
public final class TestLog implements AutoCloseable {
    private static final ShardMap SHARDS = ShardMap.initial(TopicSizing.LOCAL.shardsMax());

    private final KafkaProducer<byte[], byte[]> producer;

    public TestLog() {
        this(TestBroker.shared().bootstrapServers());
    }

    public TestLog(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "acks", "all", "max.request.size", 2 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    public static SensorKey newSensor() {
        return new SensorKey("acme", "s-" + UUID.randomUUID());
    }

    public static int partitionOf(SensorKey sensor) {
        return SHARDS.shardOf(sensor, 0);
    }

    public RecordMetadata append(SensorKey sensor, RawRecord raw) {
        return append(partitionOf(sensor), raw);
    }

    public RecordMetadata append(int partition, RawRecord raw) {
        var record = new ProducerRecord<>(Topics.RAW.name(), partition, raw.key(), raw.value());
        if (raw.kind() != null) {
            record.headers().add(RawHeaders.KIND, raw.kind());
        }
        if (raw.stamp() != null) {
            record.headers().add(RawHeaders.STAMP, raw.stamp());
        }
        try {
            return producer.send(record).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every structured record of the sensor from the beginning, as a reader of committed records sees it. */
    public static List<StructuredRecord> structured(SensorKey sensor) {
        return values(Topics.STRUCTURED, sensor);
    }

    public static List<Envelope> events(SensorKey sensor) {
        return structured(sensor).stream()
                .filter(StructuredRecord::hasEvent)
                .map(StructuredRecord::getEvent)
                .toList();
    }

    public static List<CoverageMarker> markers(SensorKey sensor) {
        return structured(sensor).stream()
                .filter(StructuredRecord::hasMarker)
                .map(StructuredRecord::getMarker)
                .toList();
    }

    public static List<CoverageMarker> coverage(SensorKey sensor) {
        return values(Topics.COVERAGE, sensor);
    }

    public static List<Quarantined> quarantine(SensorKey sensor) {
        return values(Topics.QUARANTINE, sensor);
    }

    /** Waits for as many events of the sensor. */
    public static List<Envelope> awaitEvents(SensorKey sensor, int count) {
        return await().atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .until(() -> events(sensor), events -> events.size() >= count);
    }

    public static List<CoverageMarker> awaitMarkers(SensorKey sensor, Predicate<List<CoverageMarker>> enough) {
        return await().atMost(Duration.ofSeconds(60)).until(() -> markers(sensor), enough);
    }

    private static <V extends MessageLite> List<V> values(TopicSpec<V> topic, SensorKey sensor) {
        byte[] key = sensor.topicKeyBytes();
        Parser<V> parser = topic.value().orElseThrow();
        return read(topic.name(), partitionOf(sensor)).stream()
                .filter(record -> Arrays.equals(key, record.key()))
                .map(record -> parse(parser, record.value()))
                .toList();
    }

    public static <V extends MessageLite> V parse(Parser<V> parser, byte[] value) {
        try {
            return parser.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A partition from its beginning to its current end. */
    public static List<ConsumerRecord<byte[], byte[]>> read(String topic, int number) {
        return CommittedLog.read(TestBroker.shared().bootstrapServers(), topic, number);
    }

    @Override
    public void close() {
        producer.close();
    }
}
