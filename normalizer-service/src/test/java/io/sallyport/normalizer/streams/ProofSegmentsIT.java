package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.proto.log.v1.CustomerRoot;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every record of `structured` is a leaf of exactly one segment, markers included. */
class ProofSegmentsIT {
    @TempDir
    Path stateDir;

    @Test
    void shouldCoverEventsAndMarkersOfAllCustomers() {
        SensorKey acme = TestLog.newSensor();
        SensorKey globex = inPartition("globex", TestLog.partitionOf(acme));
        try (var log = new TestLog();
                var run = NormalizerRun.start(stateDir)) {
            log.append(acme, new RawRecords(acme).range(0, 1, 1, 300));
            log.append(globex, new RawRecords(globex).range(0, 1, 1, 40));
            log.append(acme, new RawRecords(acme).skip(0, 1, 301, 305, 1));
            // More than a segment holds, in records that do not end where it does.
            for (int from = 306; from < 306 + 4_500; from += 450) {
                log.append(acme, new RawRecords(acme).range(0, 1, from, from + 449));
            }
            TestLog.awaitEvents(acme, 4_800);
            TestLog.awaitEvents(globex, 40);
            assertThat(TestLog.markers(acme)).hasSize(1);

            List<ProofSegment> segments = TestProof.awaitCovered(TestLog.partitionOf(acme));
            assertThat(segments).anyMatch(segment -> segment.getCount() == OpenSegment.MAX_LEAVES);
            assertThat(segments.stream()
                            .flatMap(segment -> segment.getCustomersList().stream())
                            .filter(customer -> customer.getCustomerId().equals("globex"))
                            .mapToInt(CustomerRoot::getCount)
                            .sum())
                    .isGreaterThanOrEqualTo(40);
            // Those before may come from tests that run the service as it is by default.
            assertThat(segments.get(segments.size() - 1).getCell()).isEqualTo("test");
            assertThat(run.gaveUp()).isFalse();
        }
    }

    private static SensorKey inPartition(String customer, int partition) {
        SensorKey sensor;
        do {
            sensor = new SensorKey(customer, TestLog.newSensor().sensorId());
        } while (TestLog.partitionOf(sensor) != partition);
        return sensor;
    }
}
