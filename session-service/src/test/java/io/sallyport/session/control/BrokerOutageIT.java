package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.kafka.KafkaControlData;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerOutageIT {
    private static final SensorKey SENSOR = new SensorKey("acme", "outage");

    @TempDir
    Path dir;

    @Test
    void shouldOutliveABrokerThatGoesAwayAndComesBack() throws Exception {
        KraftBroker broker = KraftBroker.start(dir.resolve("broker"), 0);
        String bootstrap = broker.bootstrapServers();
        int port = Integer.parseInt(bootstrap.substring(bootstrap.lastIndexOf(':') + 1));
        try (var topics = new TopicAdmin(bootstrap, TopicSizing.LOCAL);
                var seeds = new ControlSeeds(bootstrap)) {
            topics.create();
            seeds.put(Customer.newBuilder().setCustomerId("acme").build());
        }
        var authority = EpochAuthorityStreams.of(
                EpochAuthorityStreams.member(bootstrap, 0, dir.resolve("state"), "", TopicSizing.LOCAL),
                new EpochMeters(new SimpleMeterRegistry()));
        authority.start();
        try (var node = ControlPlaneNode.start(bootstrap, 0);
                var data = new KafkaControlData(bootstrap, 0)) {
            data.start();
            Awaitility.await().until(data::isLoaded);
            EpochAnswer first = node.claim(SENSOR, node.newClaim(SENSOR, 0).build());
            node.report(SENSOR, ReportKind.REPORT_FIRST_APPEND, first, 0);

            broker.close();
            assertThat(isActive(data, "acme")).isTrue();
            assertThat(node.authority.newestSessionId(SENSOR)).isEqualTo(first.getNewestSessionId());
            assertThat(node.authority.claim(SENSOR, node.newClaim(SENSOR, 0).build()))
                    .failsWithin(Duration.ofSeconds(30));

            // By a replica that nobody refreshes, no resume is decided here.
            Awaitility.await().until(() -> tableBehindS(node) >= 2);

            broker = KraftBroker.start(dir.resolve("broker"), port);
            try (var seeds = new ControlSeeds(bootstrap)) {
                seeds.put(Customer.newBuilder().setCustomerId("initech").build());
            }
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> isActive(data, "initech"));
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> tableBehindS(node) < 2);
            // What was sent into the outage may have arrived in the end; the sensor asks anew and is not harmed.
            EpochAnswer resumed = Awaitility.await()
                    .atMost(90, TimeUnit.SECONDS)
                    .until(
                            () -> node.claim(
                                    SENSOR,
                                    node.newClaim(SENSOR, first.getNewestSessionId())
                                            .setPresentedEpoch(1)
                                            .setNextSeq(10)
                                            .build()),
                            answer -> answer.getEpoch() != 0);
            assertThat(resumed.getVerdict()).isIn(EpochVerdict.RESUMED, EpochVerdict.NEW_EPOCH_ROLLBACK);
        } finally {
            authority.close();
            broker.close();
        }
    }

    private static double tableBehindS(ControlPlaneNode node) {
        return node.meters.get("sallyport.epoch.table.behind").gauge().value();
    }

    private static boolean isActive(KafkaControlData data, String customer) {
        return data.standing(customer) == CustomerStanding.ACTIVE;
    }
}
