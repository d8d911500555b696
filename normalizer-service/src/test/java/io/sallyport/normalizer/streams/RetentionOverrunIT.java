package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Reason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionOverrunIT {
    @TempDir
    Path stateDir;

    @Test
    void shouldMarkRawRecordsThatWereThrownAwayUnread() throws Exception {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog()) {
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 1, 5));
                TestLog.awaitEvents(sensor, 5);
                assertThat(run.gaveUp()).isFalse();
            }
            RecordMetadata lost = log.append(sensor, raw.range(0, 1, 6, 7));
            log.append(sensor, raw.range(0, 1, 8, 9));
            RecordMetadata kept = log.append(sensor, raw.range(0, 1, 10, 12));
            try (var admin =
                    Admin.create(Map.of("bootstrap.servers", TestBroker.shared().bootstrapServers()))) {
                admin.deleteRecords(Map.of(
                                new TopicPartition(Topics.RAW.name(), kept.partition()),
                                RecordsToDelete.beforeOffset(kept.offset())))
                        .all()
                        .get();
            }
            try (var run = NormalizerRun.start(stateDir)) {
                assertThat(ExactlyOnceIT.seqs(TestLog.awaitEvents(sensor, 8)))
                        .containsExactly(1L, 2L, 3L, 4L, 5L, 10L, 11L, 12L);
                assertThat(run.count("sallyport.alerts")).isEqualTo(1);
            }
            CoverageMarker marker = await().atMost(Duration.ofSeconds(30))
                    .until(() -> overruns(kept.partition()), found -> !found.isEmpty())
                    .get(0);
            assertThat(marker.getDetail())
                    .isEqualTo("partition " + kept.partition() + ", offsets " + lost.offset() + " to "
                            + (kept.offset() - 1));
            assertThat(marker.getCount()).isEqualTo(2);
            assertThat(marker.getCustomerId()).isEmpty();
            assertThat(overruns(kept.partition())).hasSize(1);
        }
    }

    private static List<CoverageMarker> overruns(int partition) {
        return TestLog.read(Topics.COVERAGE.name(), partition).stream()
                .filter(record -> Arrays.equals(OutgoingRecords.NO_SENSOR, record.key()))
                .map(record -> TestLog.parse(CoverageMarker.parser(), record.value()))
                .filter(marker -> marker.getReason() == Reason.RETENTION_OVERRUN)
                .toList();
    }
}
