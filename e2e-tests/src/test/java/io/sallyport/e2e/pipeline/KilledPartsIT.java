package io.sallyport.e2e.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import io.sallyport.topics.ControlSeeds;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real processes, killed with {@code kill -9} in the middle of load: what was acknowledged is read once, and nothing
 * needs a marker, since the sensors still hold what was not acknowledged.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledPartsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int SENSORS = 8;
    private static final long EVENTS = 8_000;

    @TempDir
    private static Path dir;

    /** Both set before the first test. */
    @SuppressWarnings("NullAway.Init")
    private ProcessStack stack;

    @SuppressWarnings("NullAway.Init")
    private DataFolder data;

    @BeforeAll
    void start() throws Exception {
        data = new DataFolder(dir);
        stack = ProcessStack.start(StackSettings.onFreePorts(dir));
        try (var seeds = new ControlSeeds(stack.endpoints().bootstrapServers())) {
            for (String customer : List.of("normalizer-killed", "gateway-killed", "broker-killed")) {
                seeds.put(Customer.newBuilder().setCustomerId(customer).build());
            }
        }
    }

    @AfterAll
    void stop() {
        stack.close();
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
                stack.kill(part);
                ProcessStack.startPart(data, part);
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
            seen.add(StructuredLog.read(stack.endpoints().bootstrapServers(), customer));
            return seen.get(0).events() >= EVENTS;
        });
        StructuredLog log = seen.get(0);
        assertThat(log.faults).isEmpty();
        assertThat(log.events()).isEqualTo(EVENTS);
        assertThat(log.markers).isEmpty();
    }

    private FleetConfig config(String customer, boolean prioritySplit) throws Exception {
        var credentials = CredentialFolder.open(data.credentials());
        return new FleetConfig(
                stack.endpoints().tokenAddress(),
                customer,
                SENSORS,
                "s-",
                new DevCredentials(credentials, DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                new Workload.Generated(EVENTS, 400, 2_000),
                BatchHeader.CODEC_NONE,
                prioritySplit,
                Optional.of(dir.resolve("spools").resolve(customer)),
                0);
    }
}
