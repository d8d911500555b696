package io.sallyport.local.bench;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.rest.PublishingClient;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures the way of commands through the real processes: from the call of the REST API to a connected sensor that
 * applies the message, one at a time; and a fan-out to a large fleet without jitter, of which a part is connected.
 */
public final class CommandBench {
    /**
     * What to measure.
     *
     * @param sensors known ones, the targets of the fan-out
     * @param connected of them; the others stay away
     * @param messages for the latency, after {@link #WARM_UP} that are told apart
     * @param payloadBytes of each message
     * @param work folder for the stack; made, and removed by the caller
     */
    public record Plan(int sensors, int connected, int messages, int payloadBytes, Path work) {}

    private static final String CUSTOMER = "acme";
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final int LOOK_MS = 20;
    /** By then the JVMs of the stack have compiled what a message takes; on few processors they compete with it. */
    private static final int WARM_UP = 2_000;

    private final Plan plan;
    private final Progress progress;
    private final Arrivals arrivals = new Arrivals();

    public CommandBench(Plan plan, PrintWriter progress) {
        this.plan = plan;
        this.progress = new Progress(progress);
    }

    /** The result as a tree of maps, lists and numbers. */
    public Map<String, Object> run() throws Exception {
        progress.say("starting the processes in " + plan.work());
        var settings = StackSettings.onFreePorts(plan.work());
        try (ProcessStack stack = ProcessStack.start(settings)) {
            // The processes outlive this one: an interrupted run must not leave them behind.
            Runtime.getRuntime().addShutdownHook(new Thread(stack::close, "stop-bench"));
            var credentials = CredentialFolder.open(settings.data().credentials());
            var client = new PublishingClient(
                    stack.endpoints().publishing().rest(), "bench", credentials.publishers(), Clock.systemUTC());
            progress.say("registering %d sensors".formatted(plan.sensors()));
            KnownSensors.register(
                    stack.endpoints().bootstrapServers(), CUSTOMER, "away-", plan.sensors() - plan.connected());
            progress.say("connecting %d of them".formatted(plan.connected()));
            try (Fleet fleet = Fleet.start(fleet(stack, credentials), arrivals)) {
                if (!fleet.awaitConnected(PATIENCE)) {
                    throw new StackException(fleet.failure().orElse("the fleet has not connected"));
                }
                await("every sensor is known", () -> count(client) == plan.sensors());
                var result = new LinkedHashMap<String, Object>();
                result.put("latency", latency(client));
                result.put("fan_out", fanOut(client));
                result.put("conditions", conditions());
                return result;
            }
        }
    }

    private FleetConfig fleet(ProcessStack stack, CredentialFolder credentials) {
        return new FleetConfig(
                stack.endpoints().tokenAddress(),
                CUSTOMER,
                plan.connected(),
                "s-",
                new DevCredentials(credentials, DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                new Workload.Generated(0, 0, 1),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0);
    }

    private Map<String, Object> latency(PublishingClient client) throws InterruptedException {
        progress.say("%d messages to one sensor, one after another".formatted(plan.messages()));
        var cold = new Histogram(3);
        var applied = new Histogram(3);
        var answered = new Histogram(3);
        for (int i = 0; i < WARM_UP + plan.messages(); i++) {
            String msgId = "latency-" + i;
            ObjectNode message = message(msgId, "RESPONSE_ACTION");
            message.set("target", PublishingClient.object().put("sensor_id", "s-0"));
            long beganNs = System.nanoTime();
            client.publish(CUSTOMER, message);
            long answeredNs = System.nanoTime();
            arrived(msgId, 1);
            long appliedUs = (arrivals.atNs(msgId, 1) - beganNs) / 1_000;
            if (i < WARM_UP) {
                cold.recordValue(appliedUs);
            } else {
                answered.recordValue((answeredNs - beganNs) / 1_000);
                applied.recordValue(appliedUs);
            }
        }
        var result = new LinkedHashMap<String, Object>();
        result.put("messages", plan.messages());
        quantiles(result, "publish_to_sensor", applied);
        quantiles(result, "publish_to_answer", answered);
        result.put("warm_up_messages", WARM_UP);
        quantiles(result, "warm_up_publish_to_sensor", cold);
        return result;
    }

    private Map<String, Object> fanOut(PublishingClient client) throws InterruptedException {
        progress.say("one message to all %d".formatted(plan.sensors()));
        String msgId = "fan-out";
        ObjectNode message = message(msgId, "THREAT_INTEL_UPDATE").put("max_targets", plan.sensors());
        message.put("jitter_ms", 0);
        message.set("target", PublishingClient.object().put("fleet", true));
        long beganNs = System.nanoTime();
        JsonNode reply = client.publish(CUSTOMER, message);
        double answeredS = secondsSince(beganNs);
        arrived(msgId, plan.connected());
        double deliveredS = (arrivals.atNs(msgId, 1) - beganNs) / 1e9;
        await("every target is in its queue", () -> state(client, msgId, "planned") == 0);
        double queuedS = secondsSince(beganNs);
        await("every answer is counted", () -> state(client, msgId, "acked") == plan.connected());
        double countedS = secondsSince(beganNs);
        var result = new LinkedHashMap<String, Object>();
        result.put("targets", reply.get("resolved").asLong());
        result.put("connected", plan.connected());
        result.put("jitter_ms", 0);
        result.put("planned_s", Figures.round(answeredS));
        result.put("queued_s", Figures.round(queuedS));
        result.put("queued_per_s", Figures.round(plan.sensors() / queuedS));
        result.put("first_delivery_s", Figures.round((arrivals.atNs(msgId, 0) - beganNs) / 1e9));
        result.put("half_delivered_s", Figures.round((arrivals.atNs(msgId, 0.5) - beganNs) / 1e9));
        result.put("delivered_99_percent_s", Figures.round((arrivals.atNs(msgId, 0.99) - beganNs) / 1e9));
        result.put("delivered_s", Figures.round(deliveredS));
        result.put("deliveries_per_s", Figures.round(plan.connected() / deliveredS));
        result.put("acked_counted_s", Figures.round(countedS));
        return result;
    }

    private ObjectNode message(String msgId, String type) {
        return PublishingClient.object()
                .put("msg_id", msgId)
                .put("type", type)
                .put("payload", Base64.getEncoder().encodeToString(new byte[plan.payloadBytes()]));
    }

    private static long count(PublishingClient client) {
        try {
            return client.preview(CUSTOMER, PublishingClient.object().put("fleet", true))
                    .get("count")
                    .asLong();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static long state(PublishingClient client, String msgId, String state) {
        try {
            return client.message(CUSTOMER, msgId).get(state).asLong();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", e);
    }

    private void arrived(String msgId, int sensors) throws InterruptedException {
        if (!arrivals.await(msgId, sensors, PATIENCE)) {
            throw late(sensors + " sensors have " + msgId);
        }
    }

    private static void await(String what, BooleanSupplier holds) throws InterruptedException {
        long beganNs = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - beganNs > PATIENCE.toNanos()) {
                throw late(what);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static StackException late(String what) {
        return new StackException("not within " + PATIENCE.toMinutes() + " min: " + what);
    }

    private Map<String, Object> conditions() {
        Map<String, Object> conditions = Figures.machine();
        conditions.put("payload_bytes", plan.payloadBytes());
        conditions.put("listener", "token, TLS 1.3; the fleet runs in the process that measures");
        conditions.put("service_jvm_flags", ProcessStack.serviceFlags());
        return conditions;
    }

    private static void quantiles(Map<String, Object> result, String name, Histogram us) {
        result.put(name + "_p50_ms", Figures.round(us.getValueAtPercentile(50) / 1e3));
        result.put(name + "_p99_ms", Figures.round(us.getValueAtPercentile(99) / 1e3));
        result.put(name + "_max_ms", Figures.round(us.getMaxValue() / 1e3));
    }

    private static double secondsSince(long ns) {
        return (System.nanoTime() - ns) / 1e9;
    }
}
