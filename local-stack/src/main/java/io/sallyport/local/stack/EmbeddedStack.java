package io.sallyport.local.stack;

import io.sallyport.broker.KraftBroker;
import io.sallyport.export.ColdExportApplication;
import io.sallyport.fanout.FanoutServiceApplication;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.normalizer.NormalizerServiceApplication;
import io.sallyport.router.CommandRouterApplication;
import io.sallyport.session.SessionServiceApplication;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole stack in this JVM: the broker, and each service as an application context of its own. */
public final class EmbeddedStack implements Stack {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedStack.class);

    private record Starting(String name, CompletableFuture<ConfigurableApplicationContext> context) {}

    private record Service(String name, Class<?> application) {}

    /** In the order in which they stop: the gateway drains while the others still serve. */
    private static final List<Service> SERVICES = List.of(
            new Service(Endpoints.SESSION_SERVICE, SessionServiceApplication.class),
            new Service(Endpoints.NORMALIZER_SERVICE, NormalizerServiceApplication.class),
            new Service(Endpoints.COMMAND_ROUTER, CommandRouterApplication.class),
            new Service(Endpoints.FANOUT_SERVICE, FanoutServiceApplication.class),
            new Service(Endpoints.COLD_EXPORT, ColdExportApplication.class));

    private final Endpoints endpoints;
    /** What was started, the last one first. */
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    private EmbeddedStack(Endpoints endpoints) {
        this.endpoints = endpoints;
    }

    /** Returns when every part is ready; what was started is stopped again where one fails. */
    public static EmbeddedStack start(StackSettings settings)
            throws IOException, GeneralSecurityException, InterruptedException {
        DataFolder data = settings.data();
        StackLock lock = StackLock.take(data);
        try {
            Leftovers.stop(data);
            var stack = new EmbeddedStack(settings.ports().resolve(false));
            stack.started.push(lock);
            try {
                stack.startParts(settings);
                return stack;
            } catch (Throwable e) {
                stack.close();
                throw e;
            }
        } catch (Throwable e) {
            lock.close();
            throw e;
        }
    }

    private void startParts(StackSettings settings) throws IOException, GeneralSecurityException, InterruptedException {
        DataFolder data = settings.data();
        var credentials = CredentialFolder.openOrCreate(
                data.credentials(), Clock.systemUTC().instant());
        endpoints.write(data);
        started.push(() -> Endpoints.remove(data));
        started.push(KraftBroker.start(data.kafka(), Endpoints.port(endpoints.bootstrapServers())));
        Cell.prepare(endpoints.bootstrapServers());
        // Each waits for the broker most of its start: together they take little longer than one.
        var starting = new ArrayDeque<Starting>();
        for (Service service : SERVICES) {
            starting.push(new Starting(
                    service.name(),
                    CompletableFuture.supplyAsync(
                            () -> run(service, settings, credentials),
                            start -> new Thread(start, "start-" + service.name()).start())));
        }
        StackException failure = null;
        for (Starting service : starting) {
            try {
                started.push(service.context().join());
            } catch (CompletionException e) {
                failure = new StackException(service.name() + " did not start: " + PlainReason.ofRoot(e), e.getCause());
            }
        }
        if (failure != null) {
            throw failure;
        }
        ReadyWait.untilReady(endpoints, ReadyWait.NOTHING_ENDED);
    }

    private ConfigurableApplicationContext run(Service service, StackSettings settings, CredentialFolder credentials) {
        String[] arguments = ServiceArguments.of(
                        service.name(), service.name(), endpoints, settings.data(), credentials, settings.overrides())
                .toArray(String[]::new);
        return new SpringApplicationBuilder(service.application())
                .properties("spring.config.name=" + service.name())
                // The order in which the parts stop is the stack's own.
                .registerShutdownHook(false)
                .run(arguments);
    }

    @Override
    public Endpoints endpoints() {
        return endpoints;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("a part of the stack did not stop cleanly", e);
            }
        }
    }
}
