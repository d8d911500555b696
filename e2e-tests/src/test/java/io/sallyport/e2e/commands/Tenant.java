package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.rest.PublishingClient;
import io.sallyport.local.stack.StackException;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A customer of the cell: it publishes, and has sensors that do nothing but take messages. */
final class Tenant {
    static final Duration PATIENCE = Duration.ofMinutes(2);

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

    private final ProcessCell cell;
    final String id;
    final PublishingClient client;

    Tenant(ProcessCell cell, String id) throws Exception {
        this.cell = cell;
        this.id = id;
        this.client = new PublishingClient(
                cell.stack().endpoints().publishing().rest(),
                "e2e",
                cell.credentials().publishers(),
                Clock.systemUTC());
        cell.add(id);
        // fanout-service reads of the customer a moment later.
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(StackException.class)
                .until(() -> client.sensors(id, "connected = true") != null);
    }

    /** Connected sensors {@code PREFIX0} and so on, whose memory of messages survives. */
    Fleet fleet(String prefix, int sensors, Taken taken) throws Exception {
        return fleet(prefix, sensors, 0, taken);
    }

    Fleet fleet(String prefix, int sensors, double refuseShare, Taken taken) throws Exception {
        return fleet(prefix, sensors, refuseShare, cell.stack().endpoints().tokenAddress(), "-", taken);
    }

    /** The same over another gateway, or over a line of its own to one. */
    Fleet fleet(String prefix, int sensors, InetSocketAddress gateway, Taken taken) throws Exception {
        return fleet(prefix, sensors, 0, gateway, "-", taken);
    }

    /** The same sensors a second time, with a memory of their own. */
    Fleet cloneOf(String prefix, int sensors, Taken taken) throws Exception {
        return cloneOf(prefix, sensors, cell.stack().endpoints().tokenAddress(), taken);
    }

    Fleet cloneOf(String prefix, int sensors, InetSocketAddress gateway, Taken taken) throws Exception {
        return fleet(prefix, sensors, 0, gateway, "-clone-", taken);
    }

    private Fleet fleet(
            String prefix, int sensors, double refuseShare, InetSocketAddress gateway, String memory, Taken taken)
            throws Exception {
        Path spools = cell.data().sim().resolve(id + memory + prefix);
        var fleet = Fleet.start(
                new FleetConfig(
                        gateway,
                        id,
                        sensors,
                        prefix,
                        new DevCredentials(cell.credentials(), DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                        new Workload.Generated(0, 0, 1),
                        BatchHeader.CODEC_NONE,
                        false,
                        Optional.of(spools),
                        refuseShare),
                taken);
        if (!fleet.awaitConnected(PATIENCE)) {
            String why = fleet.failure().orElse("not connected in time");
            fleet.close();
            throw new AssertionError(why);
        }
        return fleet;
    }

    /** Registers sensors {@code PREFIX0} and so on, which are never started. */
    void register(String prefix, int sensors) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(16);
        try {
            List<Callable<JsonNode>> calls = IntStream.range(0, sensors)
                    .mapToObj(i -> (Callable<JsonNode>) () -> client.register(id, prefix + i))
                    .toList();
            for (Future<JsonNode> call : callers.invokeAll(calls)) {
                call.get();
            }
        } finally {
            callers.shutdownNow();
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> client.preview(id, fleet()).get("count").asLong() >= sensors);
    }

    static ObjectNode sensor(String sensor) {
        return PublishingClient.object().put("sensor_id", sensor);
    }

    static ObjectNode fleet() {
        return PublishingClient.object().put("fleet", true);
    }

    static ObjectNode message(String msgId, String type, ObjectNode target) {
        ObjectNode message = PublishingClient.object()
                .put("msg_id", msgId)
                .put("type", type)
                .put("payload", Base64.getEncoder().encodeToString(msgId.getBytes()));
        message.set("target", target);
        return message;
    }

    JsonNode publish(ObjectNode message) throws InterruptedException {
        return client.publish(id, message);
    }

    /** The states that any target is in; whenever they are read, they add up to what was resolved. */
    Map<String, Long> counts(String msgId) throws InterruptedException {
        JsonNode message = client.message(id, msgId);
        var counts = new TreeMap<String, Long>();
        for (String state : STATES) {
            long count = message.get(state).asLong();
            if (count != 0) {
                counts.put(state, count);
            }
        }
        assertThat(counts.values().stream().mapToLong(Long::longValue).sum())
                .as("sum of " + message)
                .isEqualTo(message.get("resolved").asLong());
        assertThat(counts.values()).as(message.toString()).allMatch(count -> count > 0);
        return counts;
    }

    void awaitCounts(String msgId, Map<String, Long> expected) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(counts(msgId)).isEqualTo(expected));
    }
}
