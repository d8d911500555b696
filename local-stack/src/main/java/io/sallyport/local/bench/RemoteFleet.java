package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.StackException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** The handle of a {@link FleetProcess}. */
final class RemoteFleet implements AutoCloseable {
    private static final int END_S = 20;

    private final Process process;
    private final PrintWriter in;
    private final BufferedReader out;

    private RemoteFleet(Process process) {
        this.process = process;
        this.in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8));
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts the process; it has no fleet yet. */
    static RemoteFleet open(DataFolder data) throws IOException {
        List<String> command =
                Jvm.command(FleetProcess.class.getName(), List.of(data.root().toString()));
        return new RemoteFleet(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Begins to connect and to send. */
    void start(FleetOrder order) throws IOException {
        tell("start", order);
    }

    /** @throws StackException where some sensor has no session in time */
    void awaitConnected(Duration limit) throws IOException {
        if (!tell("connected", limit.toSeconds()).asBoolean()) {
            throw new StackException(
                    "the sensors have not connected within " + limit.toSeconds() + " s: " + look().report());
        }
    }

    /**
     * Lets the sensors make no more events, and waits until all are settled.
     *
     * @throws StackException where they are not in time
     */
    void finish(Duration limit) throws IOException {
        if (!tell("finish", limit.toSeconds()).asBoolean()) {
            throw new StackException("not all is acknowledged after " + limit.toSeconds() + " s: " + look().report());
        }
    }

    FleetLook look() throws IOException {
        return FleetProcess.JSON.treeToValue(tell("look", null), FleetLook.class);
    }

    List<FleetProcess.Position> positions() throws IOException {
        return List.of(FleetProcess.JSON.treeToValue(tell("positions", null), FleetProcess.Position[].class));
    }

    /** Closes the connections; another fleet may be started. */
    void stop() throws IOException {
        tell("stop", null);
    }

    private JsonNode tell(String word, @org.jspecify.annotations.Nullable Object value) throws IOException {
        in.println(word + " " + FleetProcess.JSON.writeValueAsString(value));
        in.flush();
        String answer = out.readLine();
        if (answer == null) {
            throw new StackException("the process of the sensors has ended");
        }
        return FleetProcess.JSON.readTree(answer);
    }

    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
