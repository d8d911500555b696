package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochAuthorityIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();

    @TempDir
    Path stateDir;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void shouldAnswerAClaimAndShowItInTheTable() throws Exception {
        var sensor = new SensorKey("acme", "authority-round-trip");
        EpochAuthorityStreams streams = authority();
        streams.start();
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            EpochAnswer first = node.claim(sensor, node.newClaim(sensor, 0).build());
            assertThat(first.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
            assertThat(first.getEpoch()).isEqualTo(1);
            assertThat(first.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(first.getKnownSensor()).isFalse();
            node.report(sensor, ReportKind.REPORT_FIRST_APPEND, first, 0);
            node.report(sensor, ReportKind.REPORT_ACKED, first, 100);

            EpochAnswer resumed = node.claim(
                    sensor,
                    node.newClaim(sensor, first.getNewestSessionId())
                            .setPresentedEpoch(1)
                            .setNextSeq(121)
                            .setWatermark(90)
                            .build());
            assertThat(resumed.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(resumed.getWatermark()).isEqualTo(100);
        } finally {
            streams.stop();
        }
    }

    private EpochAuthorityStreams authority() {
        return new EpochAuthorityStreams(
                new EpochAuthorityStreams.Settings(BOOTSTRAP, 0, stateDir.resolve("authority"), TopicSizing.LOCAL),
                new EpochMeters(meters));
    }
}
