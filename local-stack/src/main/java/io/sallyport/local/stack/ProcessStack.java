package io.sallyport.local.stack;

import io.sallyport.local.credentials.CredentialFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The stack as in production: the broker and each service are processes of their own. One that is killed stays dead
 * until {@link #startPart} starts it again; the others go on.
 */
public final class ProcessStack implements Stack {
    /** Longer than the gateway's drain. */
    private static final int GRACE_MS = 45_000;

    private final StackSettings settings;
    private final DataFolder data;
    private final StackLock lock;
    /** Processes that this one started, by the names of their parts. */
    private final Map<String, Process> started = new ConcurrentHashMap<>();

    private Endpoints endpoints;

    private ProcessStack(StackSettings settings, Endpoints endpoints, StackLock lock) {
        this.settings = settings;
        this.data = settings.data();
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
            var stack = new ProcessStack(settings, settings.ports().resolve(true), lock);
            try {
                stack.startParts();
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

    private void startParts() throws IOException, GeneralSecurityException, InterruptedException {
        var credentials = CredentialFolder.openOrCreate(
                data.credentials(), Clock.systemUTC().instant());
        var commands = new PartCommands(settings, endpoints, credentials);
        endpoints.write(data);
        var broker = new ServiceProcess(data, Endpoints.BROKER);
        Process process = begin(broker, commands.of(broker));
        ReadyWait.untilReady(endpoints, Endpoints.BROKER, ended(broker, process));
        Cell.prepare(endpoints.bootstrapServers());
        var ended = new ArrayList<Supplier<Optional<String>>>();
        for (String name : Endpoints.SERVICES) {
            var part = new ServiceProcess(data, name);
            ended.add(ended(part, begin(part, commands.of(part))));
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
        return startAgain(data, name).pid();
    }

    /** As {@link #startPart}, of this stack. */
    public void startPart(String name) throws IOException, InterruptedException {
        started.put(name, startAgain(data, name));
    }

    private Process begin(ServiceProcess part, List<String> command) throws IOException {
        Process process = part.start(command);
        started.put(part.name(), process);
        return process;
    }

    private static Process startAgain(DataFolder data, String name) throws IOException, InterruptedException {
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
        Process process = part.startAgain();
        ReadyWait.untilReady(endpoints, name, ended(part, process));
        return process;
    }

    /**
     * Starts one more gateway; returns when it is ready. It stops with the stack.
     *
     * @param node its ordinal, 1 … 7; the first gateway has 0
     */
    public Gateway addGateway(int node) throws IOException, GeneralSecurityException, InterruptedException {
        Gateway gateway = StackPorts.gateway(node);
        endpoints = endpoints.with(gateway);
        endpoints.write(data);
        var part = new ServiceProcess(data, gateway.name());
        var commands = new PartCommands(settings, endpoints, CredentialFolder.open(data.credentials()));
        Process process = begin(part, commands.of(part, gateway));
        ReadyWait.untilReady(endpoints, gateway.name(), ended(part, process));
        return gateway;
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

    /**
     * Asks a part that this stack started to end, as SIGTERM does, and returns its exit code when it is gone: 143 where it
     * ended by itself, 137 where it had to be killed.
     */
    public int terminate(String name) throws IOException, InterruptedException {
        Process process = started.get(name);
        if (process == null) {
            throw new StackException(name + " was not started here");
        }
        stopPart(name);
        return process.waitFor();
    }

    /** Ends a part as {@code kill -9} does, and returns when it is gone. */
    public void kill(String name) throws IOException, InterruptedException {
        new ServiceProcess(data, name).kill();
    }

    @Override
    public Endpoints endpoints() {
        return endpoints;
    }

    private static Supplier<Optional<String>> ended(ServiceProcess part, Process process) {
        return () -> process.isAlive()
                ? Optional.empty()
                : Optional.of("%s ended while it started; see %s/%s.log and .out"
                        .formatted(part.name(), part.data().logs(), part.name()));
    }

    @Override
    public void close() {
        // The gateway drains into the broker, the others commit to it: it goes last.
        try {
            List<ServiceProcess> parts = new ArrayList<>(ServiceProcess.all(data));
            Collections.rotate(parts, -1);
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
