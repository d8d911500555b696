package io.sallyport.local.bench;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.sim.core.SensorState;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.SessionListener;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A fleet in a JVM of its own, which does what it is told on standard input, a word and a JSON value a line, and answers
 * each with a line of JSON: {@code start ORDER}, {@code connected SECONDS} and {@code finish SECONDS} (true or false),
 * {@code look null}, {@code positions null}, {@code stop null}. It ends with its input. Argument: data folder.
 */
public final class FleetProcess {
    static final JsonMapper JSON = new JsonMapper();

    private final DevCredentials credentials;
    private @Nullable Fleet fleet;
    private Sessions sessions = new Sessions();

    private FleetProcess(DataFolder data) throws Exception {
        credentials = new DevCredentials(
                CredentialFolder.open(data.credentials()), DevCredentials.Mode.TOKEN, Clock.systemUTC());
    }

    /**
     * How far one sensor is.
     *
     * @param epoch its newest one
     * @param last the newest number that it gave
     * @param acked watermark
     */
    record Position(String customer, String sensor, long epoch, long last, long acked) {
        private static Position of(Map.Entry<SensorKey, SensorState> sensor) {
            return new Position(
                    sensor.getKey().customerId(),
                    sensor.getKey().sensorId(),
                    sensor.getValue().epoch(),
                    sensor.getValue().lastSeq(),
                    sensor.getValue().watermark());
        }
    }

    public static void main(String[] args) throws Exception {
        StackLogs.toTerminal(false);
        var process = new FleetProcess(new DataFolder(Path.of(args[0])));
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int blank = line.indexOf(' ');
                Object answer = process.answer(line.substring(0, blank), line.substring(blank + 1));
                System.out.println(JSON.writeValueAsString(answer));
            }
        } finally {
            process.stop();
        }
    }

    private Object answer(String word, String value) throws InterruptedException {
        if (word.equals("start")) {
            sessions = new Sessions();
            fleet = Fleet.start(JSON.readValue(value, FleetOrder.class).toConfig(credentials), sessions);
            return true;
        }
        Fleet running = fleet;
        if (running == null) {
            throw new IllegalStateException(word + " without a fleet");
        }
        return switch (word) {
            case "connected" -> running.awaitConnected(Duration.ofSeconds(JSON.readValue(value, Long.class)));
            case "finish" -> {
                running.finish();
                yield running.awaitDone(Duration.ofSeconds(JSON.readValue(value, Long.class)));
            }
            case "look" -> sessions.look(running);
            case "positions" ->
                running.states().entrySet().stream().map(Position::of).toList();
            case "stop" -> {
                stop();
                yield true;
            }
            default -> throw new IllegalArgumentException("no such word: " + word);
        };
    }

    private void stop() {
        if (fleet != null) {
            fleet.close();
            fleet = null;
        }
    }

    /** How the sensors came. */
    private static final class Sessions implements SessionListener {
        private final Queue<FleetLook.Opened> accepted = new ConcurrentLinkedQueue<>();
        private final AtomicInteger newEpochs = new AtomicInteger();

        @Override
        public void accepted(SensorKey sensor, Accept accept) {
            accepted.add(new FleetLook.Opened(System.currentTimeMillis(), SessionId.node(accept.getSessionId())));
            // A sensor of these fleets has no epoch before its first session.
            if (accept.getVerdict() != EpochVerdict.RESUMED && accept.getVerdict() != EpochVerdict.NEW_EPOCH_FIRST) {
                newEpochs.incrementAndGet();
            }
        }

        FleetLook look(Fleet fleet) {
            List<FleetLook.Opened> soFar = new ArrayList<>(accepted);
            return new FleetLook(fleet.report(), FleetLook.encode(fleet.ackLatencyUs()), soFar, newEpochs.get());
        }
    }
}
