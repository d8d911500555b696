package io.sallyport.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Entries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The router is killed in the middle of its work, once with the loss of its disk: the sums hold, nothing is lost. */
class RouterKillIT {
    private static final int SENSORS = 300;
    private static final int MESSAGES = 6;

    @TempDir
    Path dir;

    @Test
    void shouldLoseNothingAndCountEachTargetOnceWhenKilled() throws Exception {
        String broker = TestBroker.shared().bootstrapServers();
        List<SensorKey> sensors = TestFleet.sensors("kill-", SENSORS);
        var resolved = new HashMap<String, Long>();
        for (int i = 1; i <= MESSAGES; i++) {
            resolved.put("kill-m-" + i, (long) SENSORS);
        }
        try (var fleet = new TestFleet(broker);
                var status = new StatusReader(broker, resolved)) {
            fleet.answering(push -> push.getMessage().getMsgId().equals("kill-m-3")
                            && push.getSensorId().endsWith("7")
                    ? CommandOutcome.COMMAND_NACKED
                    : CommandOutcome.COMMAND_ACKED);
            for (int i = 0; i < SENSORS; i++) {
                // A third connects only later.
                if (i % 3 != 0) {
                    fleet.connect(sensors.get(i), i % 4);
                }
            }
            var router = new RouterProcess(broker, dir, "--sallyport.router.queue.repeat-after=2s");
            for (int i = 1; i <= MESSAGES; i++) {
                publish(fleet, sensors, "kill-m-" + i, i);
                if (i % 2 == 0) {
                    // Somewhere in the middle of this message.
                    int reached = SENSORS * 2 / 3 * (i - 1) + 30;
                    await().atMost(Duration.ofSeconds(60)).until(() -> fleet.distinctDeliveries() >= reached);
                    router.kill();
                    if (i == 4) {
                        wipe();
                    }
                    router = new RouterProcess(broker, dir, "--sallyport.router.queue.repeat-after=2s");
                }
            }
            for (int i = 0; i < SENSORS; i += 3) {
                fleet.connect(sensors.get(i), i % 4);
            }
            await().atMost(Duration.ofSeconds(120)).untilAsserted(() -> {
                status.read();
                assertThat(status.violations()).isEmpty();
                for (int i = 1; i <= MESSAGES; i++) {
                    assertThat(status.counts("kill-m-" + i)).isEqualTo(expected(i));
                }
            });
            for (int i = 1; i <= MESSAGES; i++) {
                assertThat(status.targets("kill-m-" + i)).isEqualTo(expected(i));
            }
            assertThat(fleet.distinctDeliveries()).isEqualTo(SENSORS * MESSAGES);
            for (SensorKey sensor : sensors) {
                assertThat(fleet.receivedIds(sensor).stream().distinct().toList())
                        .isEqualTo(List.of("kill-m-1", "kill-m-2", "kill-m-3", "kill-m-4", "kill-m-5", "kill-m-6"));
            }
            router.close();
        }
    }

    private static void publish(TestFleet fleet, List<SensorKey> sensors, String msgId, long revision) {
        fleet.body("acme", msgId, "payload of " + msgId);
        var sent = new ArrayList<Future<RecordMetadata>>();
        for (SensorKey sensor : sensors) {
            sent.add(fleet.enter(sensor, Entries.entry(msgId, revision, MessageType.RESPONSE_ACTION)));
        }
        TestFleet.await(sent);
    }

    private static Map<TargetState, Long> expected(int message) {
        long nacked = SENSORS / 10;
        return message == 3
                ? Map.of(TargetState.ACKED, SENSORS - nacked, TargetState.NACKED, nacked)
                : Map.of(TargetState.ACKED, (long) SENSORS);
    }

    private void wipe() throws IOException {
        try (var files = Files.walk(dir.resolve("state"))) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
