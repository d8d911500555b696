package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.local.rest.PublishingClient;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import io.sallyport.sim.fleet.Fleet;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.node.ObjectNode;

/**
 * A selector that is wider than meant: refused without a bound, and stopped in the middle with one. What is aborted
 * reaches nobody any more, also when the service that decided it is killed at that moment.
 */
@ExtendWith(ProcessCell.Shared.class)
class H19WrongAudienceIT {
    private static final int SENSORS = 60;

    private final ProcessCell cell;

    H19WrongAudienceIT(ProcessCell cell) {
        this.cell = cell;
    }

    @Test
    void shouldReachNobodyElseOnceItIsAborted() throws Exception {
        var tenant = new Tenant(cell, "cmd-h19");
        var taken = new Taken();
        ObjectNode everybody = PublishingClient.object().put("selector", "has(os.family)");
        try (Fleet fleet = tenant.fleet("s-", SENSORS, taken)) {
            Awaitility.await()
                    .atMost(Tenant.PATIENCE)
                    .until(() -> tenant.client
                                    .preview(tenant.id, everybody)
                                    .get("count")
                                    .asLong()
                            == SENSORS);
            assertThatThrownBy(() -> tenant.publish(update("wide", everybody).put("max_targets", SENSORS - 1)))
                    .isInstanceOf(StackException.class)
                    .hasMessageStartingWith("THRESHOLD");

            tenant.publish(update("aborted", everybody).put("max_targets", SENSORS));
            Awaitility.await()
                    .atMost(Tenant.PATIENCE)
                    .until(() -> !taken.sensorsOf("aborted").isEmpty());
            tenant.client.cancel(tenant.id, "aborted");
            cell.killAndStart(Endpoints.FANOUT_SERVICE);

            Awaitility.await()
                    .atMost(Tenant.PATIENCE)
                    .untilAsserted(() -> assertThat(tenant.counts("aborted")).containsOnlyKeys("acked", "cancelled"));
            int reached = taken.sensorsOf("aborted").size();
            assertThat(tenant.counts("aborted"))
                    .isEqualTo(Map.of("acked", (long) reached, "cancelled", (long) SENSORS - reached));
            // Whatever is still on its way stands in front of this one, of the same type.
            tenant.publish(update("next", everybody).put("max_targets", SENSORS).put("jitter_ms", 0));
            tenant.awaitCounts("next", Map.of("acked", (long) SENSORS));
            assertThat(taken.sensorsOf("aborted")).hasSize(reached).doesNotHaveDuplicates();
            assertThat(taken.sensorsOf("wide")).isEmpty();
            assertThat(fleet.report().messagesRefused()).isZero();
        }
    }

    private static ObjectNode update(String msgId, ObjectNode target) {
        return Tenant.message(msgId, "SENSOR_UPDATE", target)
                .put("coalesce_key", msgId)
                .put("jitter_ms", 30_000);
    }
}
