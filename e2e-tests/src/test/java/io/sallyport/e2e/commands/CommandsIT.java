package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.local.rest.PublishingClient;
import io.sallyport.local.stack.StackException;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.sim.fleet.Fleet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Messages through the real processes, over REST in and over the sensor link out. */
@ExtendWith(ProcessCell.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsIT {
    private static final int CONNECTED = 300;
    private static final int KNOWN = 5_000;

    private final ProcessCell cell;

    CommandsIT(ProcessCell cell) {
        this.cell = cell;
    }

    @Test
    void shouldReachASensorThatIsConnected() throws Exception {
        var tenant = new Tenant(cell, "cmd-connected");
        var taken = new Taken();
        try (Fleet fleet = tenant.fleet("s-", 1, taken)) {
            JsonNode reply = tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            assertThat(reply.get("outcome").asString()).isEqualTo("ACCEPTED");
            tenant.awaitCounts("m-1", Map.of("acked", 1L));
            assertThat(taken.applied()).hasSize(1);
            assertThat(taken.applied().get(0).message().getPayload().toStringUtf8())
                    .isEqualTo("m-1");
            assertThat(tenant.client
                            .targets(tenant.id, "m-1")
                            .get(0)
                            .get("state")
                            .asString())
                    .isEqualTo("acked");
            // The same again changes nothing, and reaches nobody twice.
            assertThat(tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.sensor("s-0")))
                            .get("outcome")
                            .asString())
                    .isEqualTo("SAME");
            tenant.publish(Tenant.message("m-2", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            tenant.awaitCounts("m-2", Map.of("acked", 1L));
            assertThat(taken.appliedBy("s-0")).containsExactly("m-1", "m-2");
            assertThat(fleet.report().messagesRepeated()).isZero();
        }
    }

    @Test
    void shouldReachASensorThatConnectsLater() throws Exception {
        var tenant = new Tenant(cell, "cmd-later");
        assertThatThrownBy(() -> tenant.publish(Tenant.message("m-0", "CONFIG_UPDATE", Tenant.sensor("s-0"))))
                .isInstanceOf(StackException.class)
                .hasMessageStartingWith("UNKNOWN_SENSOR");
        tenant.register("s-", 1);
        tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.sensor("s-0")));
        tenant.awaitCounts("m-1", Map.of("pending", 1L));
        var taken = new Taken();
        try (Fleet fleet = tenant.fleet("s-", 1, taken)) {
            tenant.awaitCounts("m-1", Map.of("acked", 1L));
            assertThat(taken.appliedBy("s-0")).containsExactly("m-1");
            assertThat(fleet.report().messagesApplied()).isEqualTo(1);
        }
    }

    @Test
    void shouldReachFleetSelectorAndSegmentAndNobodyElse() throws Exception {
        var tenant = new Tenant(cell, "cmd-fleet");
        tenant.register("away-", KNOWN - CONNECTED);
        var taken = new Taken();
        try (Fleet fleet = tenant.fleet("s-", CONNECTED, taken)) {
            fleet(tenant, taken);
            selector(tenant, taken);
            segment(tenant, taken);
            assertThat(fleet.report().messagesRefused()).isZero();
        }
    }

    private void fleet(Tenant tenant, Taken taken) throws Exception {
        Awaitility.await()
                .atMost(Tenant.PATIENCE)
                .until(() -> tenant.client
                                .preview(tenant.id, Tenant.fleet())
                                .get("count")
                                .asLong()
                        == KNOWN);
        assertThatThrownBy(() -> tenant.publish(Tenant.message("f-1", "THREAT_INTEL_UPDATE", Tenant.fleet())))
                .isInstanceOf(StackException.class)
                .hasMessageStartingWith("THRESHOLD");
        JsonNode reply = tenant.publish(
                Tenant.message("f-1", "THREAT_INTEL_UPDATE", Tenant.fleet()).put("max_targets", KNOWN));
        assertThat(reply.get("resolved").asLong()).isEqualTo(KNOWN);
        assertThat(reply.get("jitter_window_ms").asLong()).isEqualTo(KNOWN);
        tenant.awaitCounts("f-1", Map.of("acked", (long) CONNECTED, "pending", (long) (KNOWN - CONNECTED)));
        assertThat(taken.sensorsOf("f-1")).hasSize(CONNECTED).doesNotHaveDuplicates();
    }

    private void selector(Tenant tenant, Taken taken) throws Exception {
        String selector = "tag.site = \"site-1\" and os.family = windows";
        List<String> expected = new ArrayList<>();
        for (JsonNode sensor : tenant.client.sensors(tenant.id, null)) {
            if (sensor.get("tags").path("site").asString("").equals("site-1")) {
                expected.add(sensor.get("sensor_id").asString());
            }
        }
        assertThat(expected).hasSizeBetween(1, CONNECTED - 1);
        var target = PublishingClient.object().put("selector", selector);
        JsonNode preview = tenant.client.preview(tenant.id, target);
        assertThat(preview.get("count").asLong()).isEqualTo(expected.size());
        tenant.publish(Tenant.message("x-1", "CONFIG_UPDATE", target)
                .put("preview_token", preview.get("preview_token").asString()));
        tenant.awaitCounts("x-1", Map.of("acked", (long) expected.size()));
        assertThat(taken.sensorsOf("x-1")).containsExactlyInAnyOrderElementsOf(expected);
    }

    private void segment(Tenant tenant, Taken taken) throws Exception {
        tenant.client.putSegment(tenant.id, "ring-0", List.of("s-1", "s-2", "s-3", "away-1", "away-2"));
        tenant.publish(Tenant.message(
                "g-1", "RESPONSE_ACTION", PublishingClient.object().put("segment", "ring-0")));
        tenant.awaitCounts("g-1", Map.of("acked", 3L, "pending", 2L));
        assertThat(taken.sensorsOf("g-1")).containsExactlyInAnyOrder("s-1", "s-2", "s-3");
        tenant.client.cancel(tenant.id, "g-1");
        tenant.awaitCounts("g-1", Map.of("acked", 3L, "cancelled", 2L));
    }

    @Test
    void shouldCountWhatSensorsRefuse() throws Exception {
        var tenant = new Tenant(cell, "cmd-refused");
        var taken = new Taken();
        try (Fleet fleet = tenant.fleet("s-", 3, 1, taken)) {
            tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.fleet()));
            tenant.awaitCounts("m-1", Map.of("nacked", 3L));
            assertThat(fleet.report().messagesRefused()).isEqualTo(3);
            assertThat(taken.applied()).isEmpty();
        }
    }

    @Test
    void shouldDeliverAnActionBeforeAQueueOfUpdates() throws Exception {
        var tenant = new Tenant(cell, "cmd-lanes");
        tenant.register("s-", 1);
        var byRevision = new TreeMap<Long, String>();
        for (int version = 1; version <= 255; version++) {
            String msgId = "update-" + version;
            JsonNode reply = tenant.publish(
                    Tenant.message(msgId, "SENSOR_UPDATE", Tenant.sensor("s-0")).put("coalesce_key", "4." + version));
            byRevision.put(reply.get("revision").asLong(), msgId);
        }
        tenant.publish(Tenant.message("isolate", "RESPONSE_ACTION", Tenant.sensor("s-0")));
        tenant.awaitCounts("isolate", Map.of("pending", 1L));
        tenant.awaitCounts("update-255", Map.of("pending", 1L));
        var taken = new Taken();
        try (Fleet fleet = tenant.fleet("s-", 1, taken)) {
            Awaitility.await()
                    .atMost(Tenant.PATIENCE)
                    .until(() -> fleet.report().messagesApplied() == 256);
        }
        var expected = new ArrayList<String>();
        expected.add("isolate");
        expected.addAll(byRevision.values());
        assertThat(taken.appliedBy("s-0")).isEqualTo(expected);
    }

    /** While the sensors come and go, the newest of what excludes each other stands in the end. */
    @Test
    void shouldNeverDeliverTheOlderOneLast() throws Exception {
        var tenant = new Tenant(cell, "cmd-order");
        int sensors = 20;
        int rounds = 3;
        tenant.register("s-", sensors);
        var taken = new Taken();
        for (int round = 0; round < rounds; round++) {
            Fleet fleet = tenant.fleet("s-", sensors, taken);
            try {
                for (String name : List.of("policy-8", "policy-9", "isolate", "release")) {
                    String type = name.startsWith("policy") ? "CONFIG_UPDATE" : "RESPONSE_ACTION";
                    tenant.publish(Tenant.message(name + "." + round, type, Tenant.fleet()));
                }
            } finally {
                // In the middle of the deliveries, but in the last round.
                if (round < rounds - 1) {
                    fleet.close();
                }
            }
            if (round == rounds - 1) {
                try (fleet) {
                    tenant.awaitCounts("release." + round, Map.of("acked", (long) sensors));
                    tenant.awaitCounts("policy-9." + round, Map.of("acked", (long) sensors));
                }
            }
        }
        for (int i = 0; i < sensors; i++) {
            assertOrder(taken.appliedBy("s-" + i), rounds);
        }
        assertThat(taken.applied().stream().map(one -> one.message().getType()))
                .containsOnly(MessageType.CONFIG_UPDATE, MessageType.RESPONSE_ACTION);
    }

    private static void assertOrder(List<String> applied, int rounds) {
        List<String> policies =
                applied.stream().filter(id -> id.startsWith("policy")).toList();
        assertThat(policies).as(applied.toString()).endsWith("policy-9." + (rounds - 1));
        List<String> everyPolicy = IntStream.range(0, rounds)
                .boxed()
                .flatMap(round -> List.of("policy-8." + round, "policy-9." + round).stream())
                .toList();
        assertThat(everyPolicy).as("in the order of publishing").containsSubsequence(policies);
        List<String> actions =
                applied.stream().filter(id -> !id.startsWith("policy")).toList();
        assertThat(actions)
                .as("every action, once and in the order of publishing")
                .isEqualTo(IntStream.range(0, rounds)
                        .boxed()
                        .flatMap(round -> List.of("isolate." + round, "release." + round).stream())
                        .toList());
        assertThat(new HashSet<>(applied)).hasSize(applied.size());
    }
}
