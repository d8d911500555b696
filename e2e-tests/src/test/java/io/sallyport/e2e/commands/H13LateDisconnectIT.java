package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.local.stack.Gateway;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.sim.fleet.Fleet;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** The end of a sensor's older session, which comes after the start of its newer one, does not hide the newer one. */
@ExtendWith(ProcessCell.Shared.class)
class H13LateDisconnectIT {
    private final HttpClient http = HttpClient.newHttpClient();
    private final ProcessCell cell;

    H13LateDisconnectIT(ProcessCell cell) {
        this.cell = cell;
    }

    @Test
    void shouldReachTheSensorOverItsNewerSession() throws Exception {
        var tenant = new Tenant(cell, "cmd-h13");
        var older = new Taken();
        var newer = new Taken();
        Fleet second;
        try (Fleet first = tenant.fleet("s-", 1, older)) {
            tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            tenant.awaitCounts("m-1", Map.of("acked", 1L));
            // The same sensor elsewhere: its start ends the first one's session, which would come back otherwise.
            second = tenant.cloneOf("s-", 1, newer);
            assertThat(first.failure()).isEmpty();
        }
        try (second) {
            Awaitility.await()
                    .atMost(Tenant.PATIENCE)
                    .until(() -> second.report().connected() == 1);
            tenant.publish(Tenant.message("m-2", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            tenant.awaitCounts("m-2", Map.of("acked", 1L));
            assertThat(newer.appliedBy("s-0")).containsExactly("m-2");
            JsonNode sensor =
                    tenant.client.sensors(tenant.id, "connected = true").get(0);
            assertThat(sensor.get("sensor_id").asString()).isEqualTo("s-0");
        }
        assertThat(older.appliedBy("s-0")).containsExactly("m-1");
    }

    /** The older session's node notices nothing: only the newer one's start tells it, and its report comes late. */
    @Test
    void shouldReachTheSensorAtAnotherGatewayWhenItsLineFellSilent() throws Exception {
        var tenant = new Tenant(cell, "cmd-h13-two");
        ProcessStack stack = cell.stack();
        Gateway second = stack.addGateway(1);
        var older = new Taken();
        var newer = new Taken();
        try (var line = new SilentLine(stack.endpoints().tokenAddress());
                Fleet cutOff = tenant.fleet("s-", 1, line.address(), older)) {
            tenant.publish(Tenant.message("m-1", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            tenant.awaitCounts("m-1", Map.of("acked", 1L));
            double late = lateDisconnects(second);
            line.fallSilent();
            try (Fleet back = tenant.cloneOf("s-", 1, second.tokenAddress(), newer)) {
                tenant.publish(Tenant.message("m-2", "CONFIG_UPDATE", Tenant.sensor("s-0")));
                tenant.awaitCounts("m-2", Map.of("acked", 1L));
                Awaitility.await().atMost(Tenant.PATIENCE).until(() -> lateDisconnects(second) > late);
                tenant.publish(Tenant.message("m-3", "CONFIG_UPDATE", Tenant.sensor("s-0")));
                tenant.awaitCounts("m-3", Map.of("acked", 1L));
                assertThat(newer.appliedBy("s-0")).containsExactly("m-2", "m-3");
                assertThat(tenant.client.sensors(tenant.id, "connected = true")).hasSize(1);
                assertThat(back.report().reconnects()).isZero();
            }
            assertThat(cutOff.failure()).isEmpty();
        } finally {
            stack.stopPart(second.name());
        }
        assertThat(older.appliedBy("s-0")).containsExactly("m-1");
    }

    /** Reports of both nodes' authorities that came from a session that was no longer the newest. */
    private double lateDisconnects(Gateway second) throws Exception {
        double sum = 0;
        for (String management : List.of(cell.stack().endpoints().gateway().management(), second.management())) {
            sum += MetricsPage.of(http, management).sum("sallyport_stale_unregister_total");
        }
        return sum;
    }
}
