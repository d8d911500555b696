package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.streams.DeciderStreams;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.topics.ControlSeeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes share the customers. One is killed while requests are parked on it: the other takes them up from where they
 * stand, and decides each once, in the order of the log.
 */
@ExtendWith(SharedFanout.class)
class TwoNodesIT {
    private static final int CUSTOMERS = 12;
    private static final int MESSAGES = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final CommandLog log;
    private final Tokens tokens = new Tokens();

    TwoNodesIT(CommandLog log, SharedFanout.Node shared) {
        shared.stop();
        this.log = log;
    }

    @Test
    void shouldDecideWhatTheKilledNodeHadParked(@TempDir Path here, @TempDir Path there) throws Exception {
        try (var seeds = new ControlSeeds(TestBroker.shared().bootstrapServers())) {
            for (int i = 0; i < CUSTOMERS; i++) {
                seeds.put(Customer.newBuilder().setCustomerId(customer(i)).build());
                log.fleet(customer(i), "n-", 1, "two");
            }
        }
        ExecutorService callers = Executors.newFixedThreadPool(CUSTOMERS * 4);
        tokens.writeJwks(there.resolve("jwks.json"));
        try (RunningFanout survivor = RunningFanout.start(here, tokens);
                var victim = new FanoutProcess(there, "--sallyport.fanout.node=9")) {
            awaitTasksOnBoth();
            for (int i = 0; i < CUSTOMERS; i++) {
                survivor.awaitSensors(tokens.all(customer(i)), "tag.suite = two", 1);
                survivor.send(
                                tokens.all(customer(i)),
                                "PUT",
                                "/v1/segments/all",
                                ApiCases.json("{'sensor_ids':['n-0']}"))
                        .ok();
            }
            // A publish to a segment is parked for a look each time.
            var calls = new ArrayList<CompletableFuture<Integer>>();
            for (int message = 0; message < MESSAGES; message++) {
                for (int i = 0; i < CUSTOMERS; i++) {
                    String token = tokens.all(customer(i));
                    String body = ApiCases.json("{'msg_id':'m-" + message
                            + "','type':'RESPONSE_ACTION','payload':'','target':{'segment':'all'}}");
                    calls.add(CompletableFuture.supplyAsync(
                            () -> survivor.post(token, "/v1/messages", body).status(), callers));
                }
            }
            CompletableFuture.anyOf(calls.toArray(CompletableFuture[]::new)).join();
            victim.kill();
            long undecided = calls.stream().filter(call -> !call.isDone()).count();
            assertThat(undecided).as("requests under way at the kill").isPositive();

            var statuses = calls.stream().map(CompletableFuture::join).toList();
            // Whoever had no answer in time was told that the outcome is open; nobody was refused.
            assertThat(statuses).isSubsetOf(200, 202, 503);
            for (int i = 0; i < CUSTOMERS; i++) {
                checkEntries(customer(i));
            }
        } finally {
            callers.shutdownNow();
        }
    }

    private static void awaitTasksOnBoth() {
        try (var admin = Admin.create(
                Map.<String, Object>of("bootstrap.servers", TestBroker.shared().bootstrapServers()))) {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
                var group = admin.describeConsumerGroups(List.of(DeciderStreams.APPLICATION_ID))
                        .describedGroups()
                        .get(DeciderStreams.APPLICATION_ID)
                        .get();
                return group.members().stream()
                                .filter(member -> member.assignment().topicPartitions().stream()
                                        .anyMatch(partition -> partition.topic().equals(Topics.INGRESS.name())))
                                .count()
                        == 2;
            });
        }
    }

    /** Each message has its entry once, and they stand in the order of their revisions. */
    private static void checkEntries(String customer) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(entries(customer))
                        .extracting(QueueEntry::getMsgId)
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, MESSAGES)
                                .mapToObj(message -> "m-" + message)
                                .toList()));
        assertThat(entries(customer))
                .extracting(QueueEntry::getRevision)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    private static List<QueueEntry> entries(String customer) {
        return CommandLog.entries(entry -> entry.getCustomerId().equals(customer));
    }

    private static String customer(int i) {
        return "two-nodes-" + i;
    }
}
