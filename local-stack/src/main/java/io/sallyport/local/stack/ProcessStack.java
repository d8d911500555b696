package io.sallyport.local.stack;

import io.sallyport.local.credentials.CredentialFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The stack as in production: the broker and each service are processes of their own. One that is killed stays dead
 * until {@link #startPart} starts it again; the others go on.
 */
public final class ProcessStack implements Stack {
    /** Longer than the gateway's drain. */
    private static final int GRACE_MS = 45_000;

    private final DataFolder data;
    private final Endpoints endpoints;
    private final StackLock lock;

    private ProcessStack(DataFolder data, Endpoints endpoints, StackLock lock) {
        this.data = data;
        this.endpoints = endpoints;
        this.lock = lock;
    }

    /** Returns when every part is ready; what was started is stopped again where one fails. */
    public static ProcessStack start(StackSettings settings)
            throws IOException, GeneralSecurityException, InterruptedException {
        DataFolder data = settings.data();
        StackLock lock = StackLock.take(data);
        try {
            Leftovers.stop(data);
            var stack = new ProcessStack(data, settings.ports().resolve(true), lock);
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
        var credentials = CredentialFolder.openOrCreate(
                data.credentials(), Clock.systemUTC().instant());
        var commands = new PartCommands(settings, endpoints, credentials);
        endpoints.write(data);
        var broker = new ServiceProcess(data, Endpoints.BROKER);
        ProcessHandle process = broker.start(commands.of(broker));
        ReadyWait.untilReady(endpoints, Endpoints.BROKER, ended(broker, process));
        Cell.prepare(endpoints.bootstrapServers());
        var ended = new ArrayList<Supplier<Optional<String>>>();
        for (String name : Endpoints.SERVICES) {
            var part = new ServiceProcess(data, name);
            ended.add(ended(part, part.start(commands.of(part))));
        }
        ReadyWait.untilReady(
                endpoints,
                () -> ended.stream()
                        .map(Supplier::get)
                        .flatMap(Optional::stream)
                        .findFirst());
    }

    /**
     * Starts a part of a running stack that has ended, with the command line it had; returns when it is ready. It need
     * not be called by the process that started the stack, which stops the part in the end all the same.
     *
     * @return the id of the new process
     */
    public static long startPart(DataFolder data, String name) throws IOException, InterruptedException {
        Endpoints endpoints = Endpoints.of(data);
        if (!endpoints.processes()) {
            throw new StackException("the stack in " + data.root()
                    + " is one process; parts are started alone only with" + " ./sallyport up --processes");
        }
        var part = new ServiceProcess(data, name);
        Optional<ProcessHandle> running = part.running();
        if (running.isPresent()) {
            throw new StackException(
                    name + " already runs as process " + running.get().pid());
        }
        ProcessHandle process = part.startAgain();
        ReadyWait.untilReady(endpoints, name, ended(part, process));
        return process.pid();
    }

    /** JVM flags of a service, for whoever reports a measurement. */
    public static List<String> serviceFlags() {
        return PartCommands.serviceFlags();
    }

    /** The process of a part; empty while it is dead. */
    public OptionalLong pid(String name) {
        return pid(data, name);
    }

    static OptionalLong pid(DataFolder data, String name) {
        try {
            Optional<ProcessHandle> running = new ServiceProcess(data, name).running();
            return running.isPresent() ? OptionalLong.of(running.get().pid()) : OptionalLong.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends a part as its own clean stop does, and returns when it is gone. */
    public void stopPart(String name) throws IOException, InterruptedException {
        new ServiceProcess(data, name).stop(GRACE_MS);
    }

    /** Ends a part as {@code kill -9} does, and returns when it is gone. */
    public void kill(String name) throws IOException, InterruptedException {
        new ServiceProcess(data, name).kill();
    }

    @Override
    public Endpoints endpoints() {
        return endpoints;
    }

    private static Supplier<Optional<String>> ended(ServiceProcess part, ProcessHandle process) {
        return () -> process.isAlive()
                ? Optional.empty()
                : Optional.of("%s ended while it started; see %s/%s.log and .out"
                        .formatted(part.name(), part.data().logs(), part.name()));
    }

    @Override
    public void close() {
        // The gateway drains into the broker, the others commit to it: it goes last.
        List<ServiceProcess> parts = new ArrayList<>(ServiceProcess.all(data));
        Collections.rotate(parts, -1);
        try {
            for (ServiceProcess part : parts) {
                part.stop(GRACE_MS);
            }
            Endpoints.remove(data);
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
