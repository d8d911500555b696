package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class H14UndecodableRecordIT {
    @TempDir
    Path stateDir;

    @Test
    void shouldQuarantineEachBadRecordOnceThoughTheProcessIsKilledBetweenThem() throws Exception {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        var garbage = new byte[20];
        new Random(14).nextBytes(garbage);
        raw.codec(BatchHeader.CODEC_ZSTD);
        byte[] whole = raw.range(0, 3, 21, 30).value();
        byte[] cut = Arrays.copyOf(whole, whole.length - 5);
        raw.codec(BatchHeader.CODEC_NONE);
        try (var log = new TestLog()) {
            log.append(sensor, raw.range(0, 3, 1, 10));
            RecordMetadata first = log.append(sensor, new RawRecord(0, sensor.topicKeyBytes(), null, null, garbage));
            RecordMetadata second = log.append(sensor, raw.raw(0, RawKind.BATCH, null));
            Process process = NormalizerProcess.start(TestBroker.shared().bootstrapServers(), stateDir);
            try {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> TestLog.quarantine(sensor).size() >= 2);
            } finally {
                process.destroyForcibly().waitFor();
            }
            RecordMetadata third = log.append(sensor, raw.raw(0, RawKind.BATCH, cut));
            log.append(sensor, raw.range(0, 3, 11, 20));
            try (var run = NormalizerRun.start(stateDir)) {
                assertThat(ExactlyOnceIT.seqs(TestLog.awaitEvents(sensor, 20))).isEqualTo(ExactlyOnceIT.range(1, 20));
                assertThat(run.isRunning()).isTrue();
            }
            assertThat(TestLog.quarantine(sensor)).hasSize(3).allSatisfy(entry -> {
                assertThat(entry.getReason()).isEqualTo(Reason.UNDECODABLE);
                assertThat(entry.getCustomerId()).isEqualTo(sensor.customerId());
                assertThat(entry.getOrigin().getRawPartition()).isEqualTo(first.partition());
            });
            assertThat(TestLog.quarantine(sensor))
                    .extracting(entry -> entry.getOrigin().getRawOffset())
                    .containsExactly(first.offset(), second.offset(), third.offset());
            Quarantined zstd = TestLog.quarantine(sensor).get(2);
            assertThat(zstd.getOriginal().toByteArray()).isEqualTo(cut);
            assertThat(zstd.getEpoch()).isEqualTo(3);
            assertThat(zstd.getRawKind()).isEqualTo("BATCH");
            assertThat(zstd.getRawStamp().toByteArray()).isEqualTo(raw.stamp().toByteArray());
            assertThat(TestLog.quarantine(sensor).get(0).getOriginal().toByteArray())
                    .isEqualTo(garbage);
        }
        assertThat(TestLog.markers(sensor))
                .extracting(CoverageMarker::getReason)
                .containsExactly(Reason.UNDECODABLE, Reason.UNDECODABLE, Reason.UNDECODABLE);
        assertThat(TestLog.coverage(sensor)).isEqualTo(TestLog.markers(sensor));
    }

    @Test
    void shouldKeepWhatBelongsToNobodyUnderAKeyOfItsOwn() {
        SensorKey sensor = TestLog.newSensor();
        byte[] key = {(byte) 0xC3, 0x28, 0};
        try (var log = new TestLog();
                var run = NormalizerRun.start(stateDir)) {
            RecordMetadata at = log.append(sensor, new RawRecord(0, key, null, null, new byte[] {1, 2, 3}));
            Quarantined entry = await().atMost(Duration.ofSeconds(60))
                    .until(
                            () -> TestLog.read(Topics.QUARANTINE.name(), at.partition()).stream()
                                    .filter(record -> Arrays.equals(OutgoingRecords.NO_SENSOR, record.key()))
                                    .map(record -> TestLog.parse(Quarantined.parser(), record.value()))
                                    .filter(found -> found.getOrigin().getRawOffset() == at.offset())
                                    .findFirst(),
                            java.util.Optional::isPresent)
                    .orElseThrow();
            assertThat(entry.getCustomerId()).isEmpty();
            assertThat(entry.getRawKey().toByteArray()).isEqualTo(key);
            assertThat(entry.getOriginal().toByteArray()).containsExactly(1, 2, 3);
            assertThat(run.gaveUp()).isFalse();
        }
    }
}
