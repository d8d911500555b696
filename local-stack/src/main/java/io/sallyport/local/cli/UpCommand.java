package io.sallyport.local.cli;

import io.sallyport.local.stack.DemoFleet;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.Stack;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackLogs;
import io.sallyport.local.stack.StackSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "up",
        description = {
            "The whole local stack in the foreground: broker, services, development credentials, the demo tenants"
                    + " acme and globex, and a small fleet.",
            "Prints READY when everything serves. Ctrl-C or SIGTERM stops it; the next start continues."
        })
final class UpCommand extends Action {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(300);
    private static final Duration LOOK = Duration.ofSeconds(1);

    @Mixin
    private final PortOptions ports = new PortOptions();

    @Option(
            names = "--sensors",
            paramLabel = "N",
            defaultValue = "20",
            description = "sensors of the fleet, half acme and half globex (default: ${DEFAULT-VALUE})")
    private int sensors;

    @Option(
            names = "--rate",
            paramLabel = "EVENTS_PER_S",
            defaultValue = "50",
            description = "events per second over the whole fleet (default: ${DEFAULT-VALUE})")
    private double rate;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "payload of each event; 0 = realistic sizes, 32 KB on average (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(names = "--no-fleet", description = "no sensors of its own")
    private boolean noFleet;

    @Option(
            names = "--processes",
            description = "the broker and each service as a JVM of their own; `start NAME` starts one again that ended")
    private boolean processes;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "a setting of a service, such as sallyport.session.link.keepalive=30s")
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Override
    void logging(boolean loud) {
        if (loud) {
            StackLogs.toTerminal(true);
        } else {
            StackLogs.toFiles(data().logs());
        }
    }

    @Override
    int execute() throws Exception {
        if (!ports.problem().isEmpty()) {
            throw usage(ports.problem());
        }
        if (sensors < 0 || rate < 0 || size < 0 || size > 65_536) {
            throw usage("--sensors and --rate must not be negative, --size must be 0 to 65536");
        }
        StopSignal stop = StopSignal.install();
        var settings = new StackSettings(data(), ports.ports(), overrides);
        out().println("starting in " + data().root() + (processes ? ", each part as a process" : ""));
        out().flush();
        try (Stack stack = processes ? ProcessStack.start(settings) : EmbeddedStack.start(settings)) {
            print(stack.endpoints());
            if (!stop.isRequested()) {
                serve(stack, stop);
            }
            out().println("stopping");
            out().flush();
        }
        return DONE;
    }

    private void serve(Stack stack, StopSignal stop) throws Exception {
        var load = new DemoFleet.Load(noFleet ? 0 : sensors, rate, size);
        try (DemoFleet fleet = DemoFleet.start(stack.endpoints(), data(), load);
                var line = new LiveLine(stack.endpoints(), out(), onTerminal())) {
            awaitConnected(fleet, stop);
            if (stop.isRequested()) {
                return;
            }
            out().println("READY");
            out().flush();
            while (!stop.await(LOOK)) {
                line.draw(fleet.failure());
            }
        }
    }

    private static void awaitConnected(DemoFleet fleet, StopSignal stop) throws InterruptedException {
        long deadline = System.nanoTime() + CONNECT_LIMIT.toNanos();
        while (!fleet.awaitConnected(LOOK) && !stop.isRequested()) {
            if (fleet.failure().isPresent()) {
                throw new StackException(
                        "the demo fleet cannot go on: " + fleet.failure().get());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new StackException("the demo fleet has not connected after " + CONNECT_LIMIT.toSeconds() + " s: "
                        + fleet.connected() + " sensors are");
            }
        }
    }

    private void print(Endpoints endpoints) {
        out().println("sensor link, certificates  " + endpoints.mtls());
        out().println("sensor link, tokens        " + endpoints.token());
        out().println("publishing, REST           http://"
                + endpoints.publishing().rest());
        out().println("publishing, gRPC           " + endpoints.publishing().grpc());
        out().println("Kafka                      " + endpoints.bootstrapServers());
        for (String service : Endpoints.SERVICES) {
            out().printf("%-26s http://%s/actuator/health%n", service, endpoints.management(service));
        }
        out().println("logs                       " + data().logs());
        out().flush();
    }
}
