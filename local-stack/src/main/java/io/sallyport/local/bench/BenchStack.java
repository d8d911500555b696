package io.sallyport.local.bench;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackPorts;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;

/** A stack of processes for what gateways are measured with: broker, gateway and normalizer. */
final class BenchStack {
    /** They are idle in these benchmarks, and their processes would still take from a small machine. */
    private static final List<String> NOT_MEASURED =
            List.of(Endpoints.COLD_EXPORT, Endpoints.FANOUT_SERVICE, Endpoints.COMMAND_ROUTER);

    private BenchStack() {}

    /** One customer sends all of it, or each of many as much as it can: shares of a gateway are not what is measured. */
    static StackSettings unlimited(Path work) {
        return new StackSettings(
                new DataFolder(work),
                StackPorts.FREE,
                Map.of(
                        "sallyport.session.flow.bytes-per-second", "10GB",
                        "sallyport.session.flow.events-per-second", "100000000",
                        "sallyport.session.memory.customer-bytes", "64MB"));
    }

    /** @param resting what is not started either */
    static ProcessStack start(StackSettings settings, String... resting)
            throws IOException, GeneralSecurityException, InterruptedException {
        ProcessStack stack = ProcessStack.start(settings);
        // The processes outlive this one: an interrupted run must not leave them behind.
        Runtime.getRuntime().addShutdownHook(new Thread(stack::close, "stop-bench"));
        for (String part : NOT_MEASURED) {
            stack.stopPart(part);
        }
        for (String part : resting) {
            stack.stopPart(part);
        }
        return stack;
    }
}
