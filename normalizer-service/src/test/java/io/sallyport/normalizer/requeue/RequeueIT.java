package io.sallyport.normalizer.requeue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.streams.NormalizerRun;
import io.sallyport.normalizer.streams.TestLog;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.topics.ControlSeeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequeueIT {
    private static final String BROKER = TestBroker.shared().bootstrapServers();

    @TempDir
    Path stateDir;

    @Test
    void shouldTakeANewTypeWithoutARestartAndCommitWhatWasQuarantinedBefore() throws Exception {
        SensorKey sensor = TestLog.newSensor();
        SensorKey other = TestLog.newSensor();
        var raw = new RawRecords(sensor);
        try (var log = new TestLog();
                var registry = new EventTypeRegistry(BROKER);
                var seeds = new ControlSeeds(BROKER)) {
            registry.start();
            try (var run = NormalizerRun.start(stateDir, "it-0", registry);
                    var requeue = new Requeue(BROKER)) {
                log.append(
                        sensor,
                        raw.batch(
                                0,
                                1,
                                Event.of(1),
                                Event.of(2).type(21),
                                Event.of(3),
                                Event.of(4).type(21)));
                log.append(other, new RawRecords(other).batch(0, 1, Event.of(1).type(21)));
                TestLog.awaitMarkers(sensor, markers -> markers.size() == 1);
                TestLog.awaitMarkers(other, markers -> markers.size() == 1);

                seeds.put(EventType.newBuilder()
                        .setNumber(21)
                        .setName("Twelfth")
                        .setInBatch(true)
                        .build());
                log.append(sensor, raw.batch(0, 1, Event.of(5).type(21)));
                assertThat(TestLog.awaitEvents(sensor, 3))
                        .extracting(Envelope::getSeq)
                        .containsExactly(1L, 3L, 5L);

                assertThat(requeue.run(only(sensor))).isEqualTo(new RequeueReport(1, 1, 0));
                assertThat(TestLog.awaitEvents(sensor, 5))
                        .extracting(Envelope::getSeq)
                        .containsExactly(1L, 3L, 5L, 2L, 4L);
                assertThat(TestLog.awaitMarkers(sensor, markers -> markers.size() == 2))
                        .extracting(CoverageMarker::getReason)
                        .containsExactly(Reason.UNREGISTERED_TYPE, Reason.GAP_CLOSED);

                assertThat(requeue.run(only(sensor)).requeued()).isEqualTo(1);
                await().atMost(Duration.ofSeconds(30)).until(() -> run.count("sallyport.normalizer.duplicates") == 2);
            }
        }
        assertThat(TestLog.events(sensor))
                .hasSize(5)
                .allSatisfy(event -> assertThat(event.getIngestTsUs()).isEqualTo(RawRecords.INGEST_US));
        assertThat(TestLog.markers(sensor)).hasSize(2);
        assertThat(TestLog.events(other)).isEmpty();
        assertThat(TestLog.quarantine(other)).hasSize(1);
    }

    @Test
    void shouldLeaveWhatCannotBePutBack() {
        var known = Quarantined.newBuilder()
                .setCustomerId("acme")
                .setSensorId("s-1")
                .setReason(Reason.UNDECODABLE)
                .setRawKind("FENCE")
                .setRawStamp(
                        new RawRecords(new SensorKey("acme", "s-1")).stamp().toByteString())
                .setOriginal(com.google.protobuf.ByteString.copyFromUtf8("x"))
                .build();
        byte[] key = {1};
        assertThat(Requeue.toRaw(known, key)).hasValueSatisfying(raw -> {
            assertThat(raw.key()).isEqualTo(key);
            assertThat(raw.headers().lastHeader("kind").value()).isEqualTo("FENCE".getBytes());
        });
        assertThat(Requeue.toRaw(known.toBuilder().clearOriginal().build(), key))
                .isEmpty();
        assertThat(Requeue.toRaw(known.toBuilder().clearRawStamp().build(), key))
                .isEmpty();
        assertThat(Requeue.toRaw(known.toBuilder().clearRawKind().build(), key)).isEmpty();
        assertThat(Requeue.toRaw(known.toBuilder().clearCustomerId().build(), key))
                .isEmpty();
    }

    @Test
    void shouldRefuseReasonsThatNothingMends() {
        assertThatThrownBy(() -> new RequeueFilter(
                        Optional.empty(),
                        Optional.empty(),
                        Set.of(Reason.IDENTITY_COLLISION),
                        OptionalInt.empty(),
                        0,
                        10))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static RequeueFilter only(SensorKey sensor) {
        return new RequeueFilter(
                Optional.of(sensor.customerId()),
                Optional.of(sensor.sensorId()),
                Set.of(Reason.UNREGISTERED_TYPE),
                OptionalInt.empty(),
                0,
                Long.MAX_VALUE);
    }
}
