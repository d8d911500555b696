package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import io.sallyport.sim.fleet.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.node.ObjectNode;

/**
 * Each part of the command path is killed with {@code kill -9} in the middle of deliveries: every message reaches each
 * sensor once, in order, and at every look the counts add up.
 */
@ExtendWith(ProcessCell.Shared.class)
class KilledCommandPartsIT {
    private static final int SENSORS = 150;
    private static final List<String> PARTS =
            List.of(Endpoints.FANOUT_SERVICE, Endpoints.COMMAND_ROUTER, Endpoints.SESSION_SERVICE);

    private final ProcessCell cell;

    KilledCommandPartsIT(ProcessCell cell) {
        this.cell = cell;
    }

    @Test
    void shouldReachEverySensorOnceAndCountItOnce() throws Exception {
        var tenant = new Tenant(cell, "cmd-killed");
        var taken = new Taken();
        var actions = new ArrayList<String>();
        var updates = new ArrayList<String>();
        try (Fleet fleet = tenant.fleet("s-", SENSORS, taken)) {
            for (String part : PARTS) {
                String update = "update-" + part;
                updates.add(update);
                decide(tenant, update(update));
                // Deliveries of the update are spread over two seconds; that of the actions has just begun.
                String before = "before-" + part;
                actions.add(before);
                decide(tenant, action(before));
                String during = "during-" + part;
                actions.add(during);
                // Whether it was decided before its caller lost the answer is open.
                var unanswered = tenant.client.publishLater(tenant.id, action(during));
                cell.killAndStart(part);
                assertThat(unanswered.handle((reply, failure) -> true).join()).isTrue();
                decide(tenant, action(during));
                tenant.counts(during);
            }
            for (String msgId : actions) {
                tenant.awaitCounts(msgId, Map.of("acked", (long) SENSORS));
            }
            for (String msgId : updates) {
                tenant.awaitCounts(msgId, Map.of("acked", (long) SENSORS));
            }
            assertThat(fleet.report().messagesApplied()).isEqualTo((long) SENSORS * (actions.size() + updates.size()));
        }
        for (int i = 0; i < SENSORS; i++) {
            List<String> applied = taken.appliedBy("s-" + i);
            assertThat(applied).hasSize(actions.size() + updates.size()).containsSubsequence(actions);
            assertThat(applied).containsSubsequence(updates);
        }
    }

    private static ObjectNode action(String msgId) {
        return Tenant.message(msgId, "RESPONSE_ACTION", Tenant.fleet());
    }

    private static ObjectNode update(String msgId) {
        return Tenant.message(msgId, "SENSOR_UPDATE", Tenant.fleet())
                .put("coalesce_key", msgId)
                .put("jitter_ms", 2_000);
    }

    /** As a careful caller does: the same again until there is an answer. */
    private static void decide(Tenant tenant, ObjectNode message) {
        Awaitility.await()
                .atMost(Tenant.PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptionsInstanceOf(StackException.class)
                .until(() -> tenant.publish(message).get("resolved").asLong() == SENSORS);
    }
}
