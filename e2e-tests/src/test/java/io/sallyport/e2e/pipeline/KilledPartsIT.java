package io.sallyport.e2e.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The real processes, killed with {@code kill -9} in the middle of load: what was acknowledged is read once, and nothing
 * needs a marker, since the sensors still hold what was not acknowledged.
 */
@ExtendWith(ProcessCell.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledPartsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int SENSORS = 8;
    private static final long EVENTS = 8_000;

    private final ProcessCell cell;

    KilledPartsIT(ProcessCell cell) throws Exception {
        this.cell = cell;
        cell.add("normalizer-killed", "gateway-killed", "broker-killed");
    }

    @Test
    void shouldLoseNothingWhenTheNormalizerIsKilled() throws Exception {
        killTwice("normalizer-killed", Endpoints.NORMALIZER_SERVICE, false);
    }

    @Test
    void shouldLoseNothingWhenTheGatewayIsKilled() throws Exception {
        killTwice("gateway-killed", Endpoints.SESSION_SERVICE, true);
    }

    @Test
    void shouldLoseNothingWhenTheBrokerIsKilled() throws Exception {
        killTwice("broker-killed", Endpoints.BROKER, false);
    }

    private void killTwice(String customer, String part, boolean prioritySplit) throws Exception {
        try (var fleet = Fleet.start(config(customer, prioritySplit))) {
            for (int kill = 1; kill <= 2; kill++) {
                long before = EVENTS * kill / 5;
                Awaitility.await().atMost(PATIENCE).until(() -> fleet.report().eventsAcked() >= before);
                cell.killAndStart(part);
            }
            assertThat(fleet.awaitDone(PATIENCE))
                    .as(() -> fleet.failure().orElse("not done in time: " + fleet.report()))
                    .isTrue();
            assertThat(fleet.report().eventsAcked()).isEqualTo(EVENTS);
            assertThat(fleet.report().skipped()).isZero();
        }
        var seen = new ArrayList<StructuredLog>();
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
            seen.clear();
            seen.add(StructuredLog.read(cell.stack().endpoints().bootstrapServers(), customer));
            return seen.get(0).events() >= EVENTS;
        });
        StructuredLog log = seen.get(0);
        assertThat(log.faults).isEmpty();
        assertThat(log.events()).isEqualTo(EVENTS);
        assertThat(log.markers).isEmpty();
    }

    private FleetConfig config(String customer, boolean prioritySplit) throws Exception {
        return new FleetConfig(
                cell.stack().endpoints().tokenAddress(),
                customer,
                SENSORS,
                "s-",
                new DevCredentials(cell.credentials(), DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                new Workload.Generated(EVENTS, 400, 2_000),
                BatchHeader.CODEC_NONE,
                prioritySplit,
                Optional.of(cell.data().sim().resolve(customer)),
                0);
    }
}
