package io.sallyport.e2e.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.e2e.pipeline.StructuredLog;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.Gateway;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.sim.core.SensorState;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.FleetLink;
import io.sallyport.sim.fleet.Workload;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Three gateways as real processes under load, of which one is drained and one is killed, and the broker is restarted:
 * what was acknowledged stands in the log or is explained there, and what stands there was sent, each identity once.
 */
@ExtendWith(ProcessCell.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ThreeGatewaysIT {
    private static final String CUSTOMER = "three-gateways";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int SENSORS = 12;
    /** SIGTERM, and its own end. */
    private static final int ENDED_BY_REQUEST = 143;

    private final ProcessCell cell;

    ThreeGatewaysIT(ProcessCell cell) throws Exception {
        this.cell = cell;
        cell.add(CUSTOMER);
    }

    @Test
    void shouldLoseNothingWhenGatewaysAndTheBrokerGo() throws Exception {
        ProcessStack stack = cell.stack();
        var gateways = List.of(stack.endpoints().gateway(), stack.addGateway(1), stack.addGateway(2));
        Map<SensorKey, SensorState> sensors;
        try (Fleet fleet = Fleet.start(config(gateways))) {
            awaitMore(fleet, 1_000);
            assertThat(stack.terminate(gateways.get(1).name())).isEqualTo(ENDED_BY_REQUEST);
            awaitMore(fleet, 500);
            stack.kill(gateways.get(2).name());
            awaitMore(fleet, 500);
            stack.stopPart(Endpoints.BROKER);
            stack.startPart(Endpoints.BROKER);
            awaitMore(fleet, 500);
            fleet.finish();
            assertThat(fleet.awaitDone(PATIENCE))
                    .as(() -> fleet.failure().orElse("not done in time: " + fleet.report()))
                    .isTrue();
            sensors = fleet.states();
        } finally {
            stack.stopPart(gateways.get(1).name());
            stack.stopPart(gateways.get(2).name());
        }
        assertThat(sensors).hasSize(SENSORS);
        assertThat(sensors.values()).allMatch(sensor -> sensor.epoch() == 1, "went on in its epoch");
        long acknowledged =
                sensors.values().stream().mapToLong(SensorState::watermark).sum();
        StructuredLog log = readAtLeast(acknowledged);
        assertThat(log.faults).isEmpty();
        sensors.forEach((sensor, state) -> compare(sensor.sensorId(), state, log));
    }

    private FleetConfig config(List<Gateway> gateways) throws Exception {
        var addresses = gateways.stream().map(Gateway::tokenAddress).toArray(InetSocketAddress[]::new);
        return new FleetConfig(
                FleetLink.to(addresses).withHomes(addresses.length),
                CUSTOMER,
                SENSORS,
                "s-",
                new DevCredentials(cell.credentials(), DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                new Workload.Endless(300, 1_000),
                BatchHeader.CODEC_NONE,
                true,
                Optional.empty(),
                0);
    }

    private static void awaitMore(Fleet fleet, long events) {
        long before = fleet.report().eventsAcked();
        Awaitility.await().atMost(PATIENCE).until(() -> fleet.report().eventsAcked() >= before + events);
    }

    /** The log once the normalizer has reached everything that was acknowledged, markers included. */
    private StructuredLog readAtLeast(long events) {
        var seen = new ArrayList<StructuredLog>();
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
            seen.clear();
            seen.add(StructuredLog.read(cell.stack().endpoints().bootstrapServers(), CUSTOMER));
            StructuredLog log = seen.get(0);
            return log.events()
                            + log.markers.stream()
                                    .mapToLong(CoverageMarker::getCount)
                                    .sum()
                    >= events;
        });
        return seen.get(0);
    }

    private static void compare(String sensor, SensorState state, StructuredLog log) {
        Set<Long> there = log.eventsBySensor.getOrDefault(sensor, List.of()).stream()
                .filter(event -> event.getEpoch() == state.epoch())
                .map(Envelope::getSeq)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(there).as("numbers of %s that it never gave", sensor).allMatch(seq -> seq <= state.lastSeq());
        for (CoverageMarker marker : log.markers) {
            if (marker.getSensorId().equals(sensor) && marker.getEpoch() == state.epoch()) {
                for (SeqRange range : marker.getRangesList()) {
                    for (long seq = range.getFrom(); seq <= range.getTo(); seq++) {
                        there.add(seq);
                    }
                }
            }
        }
        Set<Long> lost = new TreeSet<>();
        for (long seq = 1; seq <= state.watermark(); seq++) {
            if (!there.contains(seq)) {
                lost.add(seq);
            }
        }
        assertThat(lost)
                .as("acknowledged numbers of %s that neither stand in the log nor are explained", sensor)
                .isEmpty();
    }
}
