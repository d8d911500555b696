import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The smallest consumer of the structured log: a consumer group that prints events of one sensor and every marker.
 * It reads committed records only, so it sees each identity once.
 *
 * <p>Arguments: customer/sensor, number of events after which it ends. The environment may name the broker:
 * SALLYPORT_KAFKA_PORT.
 */
public final class ExampleConsumer {
    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("arguments: customer/sensor, number of events");
            System.exit(2);
        }
        String wantedSensor = args[0];
        int wanted = Integer.parseInt(args[1]);
        String port = System.getenv().getOrDefault("SALLYPORT_KAFKA_PORT", "9092");
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:" + port,
                ConsumerConfig.GROUP_ID_CONFIG, "example-consumer",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                // Committed is what was handled, not what was fetched.
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");

        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(Topics.STRUCTURED.name()));
            int seen = 0;
            while (seen < wanted) {
                var handled = new HashMap<TopicPartition, OffsetAndMetadata>();
                Iterator<ConsumerRecord<String, byte[]>> records =
                        consumer.poll(Duration.ofMillis(200)).iterator();
                while (seen < wanted && records.hasNext()) {
                    ConsumerRecord<String, byte[]> record = records.next();
                    StructuredRecord structured = StructuredRecord.parseFrom(record.value());
                    switch (structured.getRecordCase()) {
                        case EVENT -> {
                            Envelope event = structured.getEvent();
                            if (record.key().equals(wantedSensor)) {
                                seen++;
                                System.out.printf(
                                        "event %s epoch %d seq %d type %d: %s%n",
                                        record.key(),
                                        Integer.toUnsignedLong(event.getEpoch()),
                                        event.getSeq(),
                                        event.getEventType(),
                                        event.getPayload().toStringUtf8());
                            }
                        }
                        case MARKER -> {
                            CoverageMarker marker = structured.getMarker();
                            System.out.printf("marker %s %s %s%n", record.key(), marker.getReason(), marker.getDetail());
                        }
                        // A later version may add kinds of records: a consumer skips what it does not know.
                        default -> {}
                    }
                    handled.put(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1));
                }
                consumer.commitSync(handled);
            }
        }
    }
}
