package io.sallyport.e2e.pipeline;

import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackPorts;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.tracing.Collector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Comparator;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The stack as processes, started once for all tests of a run that ask for it: each has customers of its own, leaves
 * every part running, and gets this as a parameter of its constructor or {@code @BeforeAll}.
 */
public final class ProcessCell implements AutoCloseable {
    /** The parts answer sooner than in production, so that what was lost on the way is repeated within the test. */
    private static Map<String, String> settings(Collector collector) {
        return Map.of(
                "sallyport.router.queue.repeat-after",
                "5s",
                "sallyport.tracing.endpoint",
                collector.endpoint().toString(),
                "sallyport.tracing.share",
                "1");
    }

    private final Collector collector = new Collector();
    private final Path dir;
    private final DataFolder data;
    private final ProcessStack stack;

    private ProcessCell(Path dir) throws IOException, GeneralSecurityException, InterruptedException {
        this.dir = dir;
        this.data = new DataFolder(dir);
        this.stack = ProcessStack.start(new StackSettings(data, StackPorts.FREE, settings(collector)));
    }

    public DataFolder data() {
        return data;
    }

    /** Takes the traces of every message. */
    public Collector collector() {
        return collector;
    }

    public ProcessStack stack() {
        return stack;
    }

    public CredentialFolder credentials() throws IOException, GeneralSecurityException {
        return CredentialFolder.open(data.credentials());
    }

    /** Makes customers known. */
    public void add(String... customers) throws InterruptedException {
        try (var seeds = new ControlSeeds(stack.endpoints().bootstrapServers())) {
            for (String customer : customers) {
                seeds.put(Customer.newBuilder().setCustomerId(customer).build());
            }
        }
    }

    /** Ends a part as {@code kill -9} does, and starts it again. */
    public void killAndStart(String part) throws IOException, InterruptedException {
        stack.kill(part);
        ProcessStack.startPart(data, part);
    }

    /** After the last test of the run. */
    @Override
    public void close() {
        stack.close();
        collector.close();
        try (var files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives the cell of the run to tests. */
    public static final class Shared implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == ProcessCell.class;
        }

        @Override
        public ProcessCell resolveParameter(ParameterContext parameter, ExtensionContext context) {
            // In the root store: closed when the run ends, however many classes have asked.
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.GLOBAL)
                    .computeIfAbsent(ProcessCell.class, key -> start(), ProcessCell.class);
        }

        private static ProcessCell start() {
            try {
                return new ProcessCell(Files.createTempDirectory("sallyport-cell"));
            } catch (IOException | GeneralSecurityException e) {
                throw new IllegalStateException("no stack to test", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
