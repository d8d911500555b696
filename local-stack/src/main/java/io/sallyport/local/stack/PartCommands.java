package io.sallyport.local.stack;

import io.sallyport.local.credentials.CredentialFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Command lines of the parts as processes: the broker from the class path of this one, each service from its jar. */
final class PartCommands {
    /**
     * Memory of each part on a machine of 2 cores. The gateway holds at most 64 MB unwritten and 64 MB unfinished bytes,
     * the normalizer one fetch and its stores' caches, the broker lives from the page cache.
     */
    private static final List<String> BROKER_MEMORY = List.of("-Xms256m", "-Xmx768m", "-XX:MaxDirectMemorySize=256m");

    private static final List<String> SERVICE_MEMORY = List.of("-Xms256m", "-Xmx1g", "-XX:MaxDirectMemorySize=512m");

    /**
     * The parallel collector, since records of 1 MiB would be humongous objects of G1, which run it out of regions while
     * most of the heap is free. Netty, RocksDB and zstd bring native code. A part that is out of memory ends instead of
     * limping.
     */
    private static final List<String> EVERY_JVM = List.of(
            "-XX:+UseParallelGC",
            "-XX:+ExitOnOutOfMemoryError",
            "--enable-native-access=ALL-UNNAMED",
            "-Dfile.encoding=UTF-8",
            "-Djava.net.preferIPv4Stack=true");

    private static final int FIRST_TO_WARN = 23;

    private final StackSettings settings;
    private final Endpoints endpoints;
    private final CredentialFolder credentials;

    PartCommands(StackSettings settings, Endpoints endpoints, CredentialFolder credentials) {
        this.settings = settings;
        this.endpoints = endpoints;
        this.credentials = credentials;
    }

    List<String> of(ServiceProcess part) throws IOException {
        return part.name().equals(Endpoints.BROKER)
                ? broker(part)
                : service(part, part.name(), endpoints, settings.overrides());
    }

    /** The command of one more gateway. */
    List<String> of(ServiceProcess part, Gateway gateway) throws IOException {
        var overrides = new TreeMap<>(settings.overrides());
        overrides.put("sallyport.session.node", Integer.toString(gateway.node()));
        return service(part, Endpoints.SESSION_SERVICE, endpoints.ofGateway(gateway), overrides);
    }

    private List<String> broker(ServiceProcess part) {
        var command = java(part, BROKER_MEMORY);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BrokerProcess.class.getName()));
        command.add(settings.data().root().toString());
        command.add(Integer.toString(Endpoints.port(endpoints.bootstrapServers())));
        return command;
    }

    private List<String> service(ServiceProcess part, String service, Endpoints serving, Map<String, String> overrides)
            throws IOException {
        var command = java(part, SERVICE_MEMORY);
        command.addAll(List.of("-jar", jar(service).toString()));
        command.addAll(ServiceArguments.of(service, part.name(), serving, settings.data(), credentials, overrides));
        Path log = settings.data().logs().resolve(part.name() + ".log");
        command.add("--logging.file.name=" + log);
        command.add("--logging.threshold.console=OFF");
        command.add("--logging.logback.rollingpolicy.max-file-size=16MB");
        command.add("--logging.logback.rollingpolicy.max-history=5");
        command.add("--logging.logback.rollingpolicy.total-size-cap=64MB");
        return command;
    }

    static List<String> serviceFlags() {
        return Stream.concat(SERVICE_MEMORY.stream(), EVERY_JVM.stream()).toList();
    }

    private static ArrayList<String> java(ServiceProcess part, List<String> memory) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(part.mark());
        command.addAll(memory);
        command.addAll(EVERY_JVM);
        if (Runtime.version().feature() >= FIRST_TO_WARN) {
            // Kafka's clients still use it; the JDK would say so on every start.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        return command;
    }

    /** The runnable jar of a service, in the checkout that this one was built in. */
    private static Path jar(String service) throws IOException {
        Path target = home().resolve(service).resolve("target");
        if (Files.isDirectory(target)) {
            try (var jars = Files.newDirectoryStream(target, service + "-*-exec.jar")) {
                for (Path jar : jars) {
                    return jar;
                }
            }
        }
        throw new StackException(
                "there is no " + service + "-*-exec.jar in " + target + "; build it with: mvn package");
    }

    private static Path home() {
        String given = System.getProperty("sallyport.home");
        if (given != null) {
            return Path.of(given);
        }
        // Tests run in the folder of their module.
        Path here = Path.of("").toAbsolutePath();
        Path parent = here.getParent();
        return Files.isDirectory(here.resolve(Endpoints.SESSION_SERVICE)) || parent == null ? here : parent;
    }
}
