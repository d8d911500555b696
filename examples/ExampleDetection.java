import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.consumer.Position;
import io.sallyport.consumer.RecordHandler;
import io.sallyport.consumer.kafka.StructuredConsumer;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;

/**
 * A downstream detection: it keeps a finding, a small file, for each started process whose event contains a text. It may be killed
 * at any moment and started again: a finding is named after its event's identity, so that an event which comes twice, or
 * again from a newer generation of the normalizer, leaves one. Run it twice with the same folder to see that.
 *
 * <p>Arguments: customer/sensor, text, number of findings of that sensor after which it ends, folder of the findings. The
 * environment may name the broker: SALLYPORT_KAFKA_PORT.
 */
public final class ExampleDetection implements RecordHandler {
    private static final int PROCESS_START = 4;

    private final String text;
    private final Path findings;

    private ExampleDetection(String text, Path findings) {
        this.text = text;
        this.findings = findings;
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            System.err.println("arguments: customer/sensor, text, number of findings, folder");
            System.exit(2);
        }
        var detection = new ExampleDetection(args[1], Files.createDirectories(Path.of(args[3])));
        String port = System.getenv().getOrDefault("SALLYPORT_KAFKA_PORT", "9092");
        var settings = ConsumerSettings.of("127.0.0.1:" + port, "example-detection").withEventTypes(Set.of(PROCESS_START));
        // A real one gives its own registry, whose metrics somebody looks at.
        try (var consumer = new StructuredConsumer(settings, detection, new SimpleMeterRegistry())) {
            var reading = new Thread(consumer::run, "detection");
            reading.start();
            while (reading.isAlive() && detection.of(args[0] + "/").size() < Integer.parseInt(args[2])) {
                Thread.sleep(100);
            }
        }
        for (Path finding : detection.of(args[0] + "/")) {
            System.out.println("finding " + findingName(finding, detection.findings) + ": " + Files.readString(finding));
        }
    }

    @Override
    public void event(Envelope event, Position at) throws IOException {
        if (!event.getPayload().toStringUtf8().contains(text)) {
            return;
        }
        // Ids are letters, digits, dots, underscores and dashes, without "..": they may stand in a path.
        Path finding = findings.resolve(event.getCustomerId() + "/" + event.getSensorId() + "/"
                + Integer.toUnsignedString(event.getEpoch()) + "-" + event.getSeq());
        Files.createDirectories(finding.getParent());
        // What a replay needs to find it again stands first. Written aside and moved: a finding is whole, or not there.
        Path whole = finding.resolveSibling(finding.getFileName() + ".part");
        Files.writeString(whole, at.shard() + " " + at.generation() + " " + event.getOrigin().getRawOffset() + " " + text);
        Files.move(whole, finding, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Where telemetry is missing, "nothing was found" is no finding. */
    @Override
    public void marker(CoverageMarker marker, Position at) {
        System.out.println("marker " + marker.getCustomerId() + "/" + marker.getSensorId() + " " + marker.getReason());
    }

    /** What the older generation led to is void; the same events come again. */
    @Override
    public void replaced(int shard, ShardTakeover takeover) throws IOException {
        for (Path finding : of("")) {
            String[] from = Files.readString(finding).split(" ", 4);
            if (Integer.parseInt(from[0]) == shard
                    && Long.parseLong(from[1]) < takeover.generation()
                    && Long.parseLong(from[2]) >= takeover.fromOffset()) {
                Files.delete(finding);
            }
        }
    }

    private List<Path> of(String prefix) throws IOException {
        try (var files = Files.walk(findings)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> findingName(file, findings).startsWith(prefix))
                    .filter(file -> !file.toString().endsWith(".part"))
                    .sorted()
                    .toList();
        }
    }

    private static String findingName(Path finding, Path folder) {
        return folder.relativize(finding).toString();
    }
}
