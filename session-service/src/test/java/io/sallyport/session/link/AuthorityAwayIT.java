package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.session.control.TopicContents;
import io.sallyport.session.netty.BoundPorts;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Nobody decides epochs for a while: sensors that are known come back and go on all the same, on any node. */
class AuthorityAwayIT {
    @TempDir
    Path stateDir;

    private static SensorSocket connect(ConfigurableApplicationContext node, String sensor) throws Exception {
        TestPki pki = TestPki.shared();
        int port = Objects.requireNonNull(node.getBean(BoundPorts.class).asMap().get("mtls"));
        return SensorSocket.connect(port, pki.client(pki.sensor("sensor://acme/" + sensor)));
    }

    private static Accept resume(SensorSocket socket, String sensor, Accept before, long nextSeq) throws Exception {
        Accept accept = socket.start(Wire.start("acme", sensor)
                .setEpoch(before.getEpoch())
                .setNextSeq(nextSeq)
                .setWatermark(nextSeq - 1)
                .setLastSessionId(before.getSessionId())
                .build());
        assertThat(accept.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        return accept;
    }

    /** Empty while the authority is still starting. */
    private static Optional<Accept> installed(ConfigurableApplicationContext node) throws Exception {
        try (SensorSocket sensor = connect(node, "away-1")) {
            sensor.send(FrameType.SENSOR_START, Wire.start("acme", "away-1").build());
            SensorSocket.Frame answer = sensor.read();
            return answer.type() == FrameType.ACCEPT ? Optional.of(Accept.parseFrom(answer.body())) : Optional.empty();
        }
    }

    private static double resumedHere(ConfigurableApplicationContext node) {
        return node.getBean(MeterRegistry.class)
                .get("sallyport.epoch.resumes.local")
                .counter()
                .count();
    }

    @Test
    void shouldTakeKnownSensorsBackAndTellNewOnesToWait() throws Exception {
        try (ConfigurableApplicationContext other = SessionServiceIT.start(
                        stateDir.resolve("other"),
                        "--sallyport.session.node=2",
                        "--sallyport.session.authority-enabled=false");
                ConfigurableApplicationContext node =
                        SessionServiceIT.start(stateDir.resolve("node"), "--sallyport.session.node=1")) {
            Accept first = Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> installed(node), Optional::isPresent)
                    .orElseThrow();
            try (SensorSocket sensor = connect(node, "away-1")) {
                first = resume(sensor, "away-1", first, 1);
                sensor.send(FrameType.BATCH, Wire.batch(first.getEpoch(), 1, 1, 10, 10));
                sensor.readAckUpTo(10);
            }
            long session = first.getSessionId();
            Awaitility.await().until(() -> isOver(session));
            double before = resumedHere(node);
            var authority = node.getBean(RunningTopology.class);
            authority.close();

            Accept second;
            try (SensorSocket sensor = connect(node, "away-1")) {
                second = resume(sensor, "away-1", first, 11);
                sensor.send(FrameType.BATCH, Wire.batch(second.getEpoch(), 1, 11, 20, 10));
                sensor.readAckUpTo(20);
            }
            Accept third;
            try (SensorSocket sensor = connect(other, "away-1")) {
                third = resume(sensor, "away-1", second, 21);
                sensor.send(FrameType.BATCH, Wire.batch(third.getEpoch(), 1, 21, 30, 10));
                sensor.readAckUpTo(30);
            }
            assertThat(resumedHere(node)).isEqualTo(before + 1);
            assertThat(resumedHere(other)).isEqualTo(1);

            long askedNanos = System.nanoTime();
            try (SensorSocket sensor = connect(node, "away-2")) {
                sensor.send(FrameType.SENSOR_START, Wire.start("acme", "away-2").build());
                var notNow = sensor.readReject();
                assertThat(notNow.getCode()).isEqualTo(RejectCode.AUTHORITY_UNAVAILABLE);
                assertThat(notNow.getRetryAfterMs()).isPositive();
            }
            assertThat(System.nanoTime() - askedNanos).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(3_900));

            // Back again, it takes what the nodes decided as it stands.
            authority.start();
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> newest().getSessionId() == third.getSessionId());
            try (SensorSocket sensor = connect(node, "away-1")) {
                assertThat(resume(sensor, "away-1", third, 31).getEpoch()).isEqualTo(first.getEpoch());
            }
        }
    }

    private static boolean isOver(long sessionId) throws Exception {
        SessionEntry newest = newest();
        return newest.getSessionId() == sessionId && newest.getState() == SessionState.SESSION_DISCONNECTED;
    }

    private static SessionEntry newest() throws Exception {
        var entries = TopicContents.of(TestBroker.shared().bootstrapServers(), Topics.SESSIONS, "acme/away-1"::equals);
        return entries.get(entries.size() - 1);
    }
}
