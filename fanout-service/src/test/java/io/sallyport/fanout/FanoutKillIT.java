package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.topics.ControlSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The service is killed while a plan of 20,000 becomes entries: each target gets its entry once, and the sums hold. */
@ExtendWith(SharedFanout.class)
class FanoutKillIT {
    private static final int SENSORS = 20_000;
    private static final int ROUNDS = 2;
    private static final int TRIES = 6;
    private static final List<String> STATES = List.of(
            "planned",
            "pending",
            "in_flight",
            "acked",
            "nacked",
            "expired",
            "superseded",
            "evicted",
            "cancelled",
            "rejected");

    private final CommandLog log;
    private final Tokens tokens = new Tokens();
    private final String token = tokens.all("killed");

    FanoutKillIT(CommandLog log, SharedFanout.Node shared) {
        // Static members of one name would fence each other.
        shared.stop();
        this.log = log;
    }

    @Test
    void shouldGiveEachTargetItsEntryOnceWhenKilledInTheMiddle(@TempDir Path dir) throws Exception {
        try (var seeds = new ControlSeeds(TestBroker.shared().bootstrapServers())) {
            seeds.put(Customer.newBuilder().setCustomerId("killed").build());
        }
        log.fleet("killed", "k-", SENSORS, "kill");
        tokens.writeJwks(dir.resolve("jwks.json"));
        var fanout = new FanoutProcess(dir);
        try {
            int inTheMiddle = 0;
            int message = 0;
            while (inTheMiddle < ROUNDS && message < TRIES) {
                String msgId = "kill-" + ++message;
                publishAndKillAtTheFirstEntry(fanout, msgId);
                int committed = CommandLog.entries("killed", msgId).size();
                inTheMiddle += committed < SENSORS ? 1 : 0;
                fanout = new FanoutProcess(dir);
                accepted(fanout, msgId);
                assertThat(publish(fanout, msgId).get("outcome").asString()).isEqualTo("SAME");
                checkSums(fanout, msgId);
                awaitEntries(msgId);
                checkSums(fanout, msgId);
                checkPlan(msgId);
                checkTargets(fanout, msgId);
            }
            assertThat(inTheMiddle).as("kills in the middle of a plan").isEqualTo(ROUNDS);
            for (int i = 1; i <= message; i++) {
                assertThat(CommandLog.entries("killed", "kill-" + i)).hasSize(SENSORS);
            }
            checkOrder();
        } finally {
            fanout.close();
        }
    }

    private JsonNode publish(FanoutProcess fanout, String msgId) throws IOException, InterruptedException {
        return fanout.post(
                token,
                "/v1/messages",
                ApiCases.json("{'msg_id':'" + msgId
                        + "','type':'RESPONSE_ACTION','payload':'','target':{'selector':'tag.suite = kill'},'max_targets':"
                        + SENSORS
                        + "}"));
    }

    private void publishAndKillAtTheFirstEntry(FanoutProcess fanout, String msgId) throws Exception {
        try (var entries = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        TestBroker.shared().bootstrapServers(),
                        "isolation.level",
                        "read_uncommitted"),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = entries.partitionsFor(Topics.SENSOR_QUEUE.name()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            entries.assign(partitions);
            entries.seekToEnd(partitions);
            partitions.forEach(entries::position);
            var published = CompletableFuture.runAsync(() -> {
                try {
                    publish(fanout, msgId);
                } catch (IOException | InterruptedException e) {
                    // Killed before it could answer.
                }
            });
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> !entries.poll(Duration.ofMillis(20)).isEmpty());
            fanout.kill();
            published.join();
        }
    }

    /** The request stood in the log, so that the successor has decided it, whether its caller heard of it or not. */
    private void accepted(FanoutProcess fanout, String msgId) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> fanout.get(token, "/v1/messages/" + msgId).has("resolved"));
    }

    private void checkSums(FanoutProcess fanout, String msgId) throws IOException, InterruptedException {
        JsonNode message = fanout.get(token, "/v1/messages/" + msgId);
        assertThat(message.get("resolved").asLong()).isEqualTo(SENSORS);
        assertThat(STATES.stream()
                        .mapToLong(state -> message.get(state).asLong())
                        .sum())
                .isEqualTo(SENSORS);
        assertThat(STATES)
                .allSatisfy(state -> assertThat(message.get(state).asLong()).isNotNegative());
    }

    private void awaitEntries(String msgId) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            List<QueueEntry> entries = CommandLog.entries("killed", msgId);
            assertThat(entries.stream().map(QueueEntry::getSensorId).distinct().count())
                    .isEqualTo(SENSORS);
            assertThat(entries).hasSize(SENSORS);
        });
    }

    private static void checkPlan(String msgId) throws IOException {
        var planned = new HashSet<String>();
        int chunks = 0;
        for (var record : CommandLog.read(Topics.FANOUT_PLANS)) {
            if (record.key().equals("killed/" + msgId)) {
                chunks++;
                planned.addAll(PlanChunk.parseFrom(record.value()).getSensorIdsList());
            }
        }
        assertThat(chunks).isEqualTo(SENSORS / 1_000);
        assertThat(planned).hasSize(SENSORS);
        Set<Long> revisions = new HashSet<>();
        for (var record : CommandLog.read(Topics.MESSAGE_DECISIONS)) {
            if (record.key().equals("killed/" + msgId)) {
                revisions.add(MessageDecision.parseFrom(record.value()).getRevision());
            }
        }
        assertThat(revisions).hasSize(1);
    }

    private void checkTargets(FanoutProcess fanout, String msgId) throws IOException, InterruptedException {
        var listed = new HashSet<String>();
        String next = "";
        do {
            JsonNode page = fanout.get(token, "/v1/messages/" + msgId + "/targets?page_size=1000&page_token=" + next);
            page.get("targets")
                    .forEach(target -> assertThat(
                                    listed.add(target.get("sensor_id").asString()))
                            .isTrue());
            next = page.get("next_page_token").asString();
        } while (!next.isEmpty());
        assertThat(listed).hasSize(SENSORS);
    }

    /** Each sensor has its actions in the order in which they were published. */
    private static void checkOrder() {
        var last = new HashMap<String, Long>();
        for (QueueEntry entry :
                CommandLog.entries(entry -> entry.getCustomerId().equals("killed"))) {
            Long before = last.put(entry.getSensorId(), entry.getRevision());
            assertThat(before == null || before < entry.getRevision())
                    .as(entry.getSensorId())
                    .isTrue();
        }
    }
}
