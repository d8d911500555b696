package io.sallyport.local.bench;

import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;

/** A stack of processes for what gateways are measured with: broker, gateway and normalizer. */
final class BenchStack {
    /** They are idle in these benchmarks, and their processes would still take from a small machine. */
    private static final List<String> NOT_MEASURED =
            List.of(Endpoints.COLD_EXPORT, Endpoints.FANOUT_SERVICE, Endpoints.COMMAND_ROUTER);

    private BenchStack() {}

    static ProcessStack start(StackSettings settings)
            throws IOException, GeneralSecurityException, InterruptedException {
        ProcessStack stack = ProcessStack.start(settings);
        // The processes outlive this one: an interrupted run must not leave them behind.
        Runtime.getRuntime().addShutdownHook(new Thread(stack::close, "stop-bench"));
        for (String part : NOT_MEASURED) {
            stack.stopPart(part);
        }
        return stack;
    }
}
