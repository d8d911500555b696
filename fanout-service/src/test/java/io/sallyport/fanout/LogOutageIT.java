package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.fanout.publishing.DecisionWaiters;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While the log is away nothing is promised, and the same request again is safe once it is back. */
class LogOutageIT {
    private static final String PUBLISH =
            ApiCases.json("{'msg_id':'%s','type':'CONFIG_UPDATE','payload':'','target':{'sensor_id':'out-1'}}");

    @Test
    void shouldSayThatTheOutcomeIsOpenAndTakeTheRepetition(@TempDir Path dir) throws Exception {
        var broker = KraftBroker.start(dir.resolve("broker"), 0);
        String address = broker.bootstrapServers();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        try (var topics = new TopicAdmin(address, TopicSizing.LOCAL);
                var seeds = new ControlSeeds(address)) {
            topics.create();
            seeds.seedCell(TopicSizing.LOCAL.shardsMax());
            seeds.put(Customer.newBuilder().setCustomerId("acme").build());
        }
        var tokens = new Tokens();
        String acme = tokens.all("acme");
        try (var fanout = RunningFanout.startOn(
                address,
                dir,
                tokens,
                "--sallyport.fanout.requests.append-timeout=2s",
                "--sallyport.fanout.requests.decision-timeout=4s",
                "--sallyport.fanout.requests.max-waiting=1")) {
            fanout.send(acme, "PUT", "/v1/sensors/out-1", null).ok();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> fanout.post(acme, "/v1/messages", PUBLISH.formatted("before"))
                                    .status()
                            < 300);
            broker.close();

            var waiting =
                    CompletableFuture.supplyAsync(() -> fanout.post(acme, "/v1/messages", PUBLISH.formatted("during")));
            await().atMost(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> fanout.bean(DecisionWaiters.class).size() == 1);
            fanout.post(acme, "/v1/messages", PUBLISH.formatted("more")).refused(429, "OVERLOADED");
            waiting.join().refused(503, "LOG_UNAVAILABLE");
            fanout.send(acme, "PUT", "/v1/sensors/out-2", null).refused(503, "LOG_UNAVAILABLE");
            assertThat(fanout.get(acme, "/v1/messages/before").ok().number("resolved"))
                    .isEqualTo(1);

            broker = KraftBroker.start(dir.resolve("broker"), port);
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> fanout.post(acme, "/v1/messages", PUBLISH.formatted("during"))
                                    .status()
                            < 300);
            var again = fanout.post(acme, "/v1/messages", PUBLISH.formatted("during"))
                    .ok();
            assertThat(again.text("outcome")).isEqualTo("SAME");
            assertThat(again.number("revision"))
                    .isEqualTo(fanout.get(acme, "/v1/messages/during").number("revision"));
        } finally {
            broker.close();
        }
    }
}
