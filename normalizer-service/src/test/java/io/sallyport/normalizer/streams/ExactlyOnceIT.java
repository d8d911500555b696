package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.proto.log.v1.Envelope;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExactlyOnceIT {
    @TempDir
    Path stateDir;

    @Test
    void shouldCommitEachEventOnceAcrossACleanRestart() {
        SensorKey sensor = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog()) {
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 1, 10));
                log.append(sensor, raw.range(0, 1, 5, 20));
                assertThat(seqs(TestLog.awaitEvents(sensor, 20))).isEqualTo(range(1, 20));
                assertThat(run.count("sallyport.normalizer.duplicates")).isEqualTo(6);
            }
            try (var run = NormalizerRun.start(stateDir)) {
                log.append(sensor, raw.range(0, 1, 15, 30));
                assertThat(seqs(TestLog.awaitEvents(sensor, 30))).isEqualTo(range(1, 30));
                assertThat(run.count("sallyport.normalizer.duplicates")).isEqualTo(6);
            }
        }
        assertThat(TestLog.markers(sensor)).isEmpty();
    }

    static List<Long> seqs(List<Envelope> events) {
        return events.stream().map(Envelope::getSeq).toList();
    }

    static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
