package io.sallyport.local.cli;

import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "start",
        description =
                "Starts a part of `up --processes` that has ended, as it was started before; waits until it is ready.")
final class StartCommand extends Action {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Parameters(
            paramLabel = "NAME",
            description = "broker, session-service, normalizer-service, command-router, fanout-service or cold-export")
    private String name = "";

    @Override
    int execute() throws Exception {
        if (!name.equals(Endpoints.BROKER) && !Endpoints.SERVICES.contains(name)) {
            throw usage("no part '" + name + "'; the parts are broker, " + String.join(", ", Endpoints.SERVICES));
        }
        long pid = ProcessStack.startPart(data(), name);
        if (json.wanted()) {
            out().println(JSON.writeValueAsString(Map.of("name", name, "pid", pid, "ready", true)));
        } else {
            out().println(name + " is ready, process " + pid);
        }
        return DONE;
    }
}
