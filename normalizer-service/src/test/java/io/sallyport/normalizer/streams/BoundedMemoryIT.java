package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a long backlog costs must not depend on its length: here it is larger than the whole heap. */
class BoundedMemoryIT {
    private static final int RECORDS = 400;
    private static final int EVENTS = 15;
    private static final String PAYLOAD = "x".repeat(65_536);

    @TempDir
    Path stateDir;

    @Test
    void shouldWorkOffABacklogThatIsLargerThanItsHeap() throws Exception {
        SensorKey first = TestLog.newSensor();
        var structured = new TopicPartition(Topics.STRUCTURED.name(), TestLog.partitionOf(first));
        try (var log = new TestLog();
                var admin = Admin.create(
                        Map.of("bootstrap.servers", TestBroker.shared().bootstrapServers()))) {
            long before = end(admin, structured);
            // Every record is of a sensor of its own, so that each leaves its own entries in the store.
            for (int i = 0; i < RECORDS; i++) {
                SensorKey sensor = i == 0 ? first : sensorIn(structured.partition());
                log.append(sensor, new RawRecords(sensor).batch(0, 1, events()));
            }
            Process process = NormalizerProcess.start(TestBroker.shared().bootstrapServers(), stateDir);
            try {
                await().atMost(Duration.ofSeconds(90))
                        .until(() -> !process.isAlive() || end(admin, structured) >= before + RECORDS * EVENTS);
                assertThat(process.isAlive()).isTrue();
            } finally {
                process.destroyForcibly().waitFor();
                // The other tests read whole partitions, again and again.
                admin.deleteRecords(Map.of(structured, RecordsToDelete.beforeOffset(-1)))
                        .all()
                        .get();
            }
        }
    }

    private static RawRecords.Event[] events() {
        return IntStream.rangeClosed(1, EVENTS)
                .mapToObj(seq -> RawRecords.Event.of(seq, PAYLOAD))
                .toArray(RawRecords.Event[]::new);
    }

    private static SensorKey sensorIn(int partition) {
        SensorKey sensor;
        do {
            sensor = TestLog.newSensor();
        } while (TestLog.partitionOf(sensor) != partition);
        return sensor;
    }

    private static long end(Admin admin, TopicPartition partition) throws InterruptedException, ExecutionException {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get()
                .offset();
    }
}
