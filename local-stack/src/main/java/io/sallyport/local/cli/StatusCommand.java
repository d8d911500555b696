package io.sallyport.local.cli;

import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.HealthProbe;
import io.sallyport.local.stack.PartHealth;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "status", description = "Health of every part; exit code 0 only when all are ready.")
final class StatusCommand extends Action {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Override
    int execute() throws Exception {
        Optional<Endpoints> endpoints = Endpoints.find(data());
        List<PartHealth> parts = endpoints.isPresent() ? new HealthProbe(endpoints.get()).all() : List.of();
        boolean ready = endpoints.isPresent() && parts.stream().allMatch(PartHealth::ready);
        if (json.wanted()) {
            out().println(JSON.writeValueAsString(Map.of("ready", ready, "parts", parts)));
            return ready ? DONE : FAILED;
        }
        if (endpoints.isEmpty()) {
            err().println("sallyport: no stack runs in " + data().root());
            return FAILED;
        }
        for (PartHealth part : parts) {
            out().printf("%-20s %-9s %s%n", part.name(), part.ready() ? "ready" : "NOT READY", part.detail());
        }
        return ready ? DONE : FAILED;
    }
}
