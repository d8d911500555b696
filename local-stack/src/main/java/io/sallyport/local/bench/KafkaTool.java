package io.sallyport.local.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Kafka's own producer performance tool, with {@code acks=all} and the same number of bytes, on the same broker. */
final class KafkaTool {
    /** Settings of the tool's producer beside {@code acks=all}: large batches, as a gateway's are. */
    static final List<String> PROPERTIES = List.of("acks=all", "batch.size=262144", "linger.ms=5");

    private static final String TOPIC = "bench-kafka-producer";
    private static final int PAYLOADS = 64;
    private static final Pattern RESULT = Pattern.compile(
            "(\\d+) records sent, ([\\d.]+) records/sec \\(([\\d.]+) MB/sec\\), ([\\d.]+) ms avg latency,"
                    + " ([\\d.]+) ms max latency, (\\d+) ms 50th, (\\d+) ms 95th, (\\d+) ms 99th.*");

    /**
     * What the tool did.
     *
     * @param mbPerS megabytes of 10^6 bytes per second
     * @param cpu of its JVM, its start included
     */
    record Result(double mbPerS, double p50Ms, double p99Ms, Duration cpu) {}

    private final String bootstrapServers;
    private final Path work;

    KafkaTool(String bootstrapServers, Path work) {
        this.bootstrapServers = bootstrapServers;
        this.work = work;
    }

    Result run(int eventBytes, long events, int partitions)
            throws IOException, InterruptedException, ExecutionException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, partitions, (short) 1)))
                    .all()
                    .get();
            try {
                return measure(eventBytes, events);
            } finally {
                admin.deleteTopics(List.of(TOPIC)).all().get();
            }
        }
    }

    private Result measure(int eventBytes, long events) throws IOException, InterruptedException {
        Path payloads = work.resolve("payloads-" + eventBytes);
        writePayloads(payloads, eventBytes);
        var arguments = new java.util.ArrayList<>(List.of(
                "--topic",
                TOPIC,
                "--bootstrap-server",
                bootstrapServers,
                "--num-records",
                Long.toString(events),
                "--throughput",
                "-1",
                "--payload-file",
                payloads.toString()));
        for (String property : PROPERTIES) {
            arguments.add("--command-property");
            arguments.add(property);
        }
        var last = new AtomicReference<>("");
        Duration cpu = Jvm.run("org.apache.kafka.tools.ProducerPerformance", arguments, last::set);
        Matcher result = RESULT.matcher(last.get());
        if (!result.matches()) {
            throw new IOException("Kafka's tool answered: " + last.get());
        }
        double events1000 = Double.parseDouble(result.group(2)) / 1_000;
        return new Result(
                events1000 * eventBytes / 1_000,
                Double.parseDouble(result.group(6)),
                Double.parseDouble(result.group(8)),
                cpu);
    }

    /** Random text, since the tool would otherwise spend its time on making random bytes. */
    private static void writePayloads(Path file, int eventBytes) throws IOException {
        var random = new Random(1);
        var text = new StringBuilder();
        for (int i = 0; i < PAYLOADS; i++) {
            for (int j = 0; j < eventBytes; j++) {
                text.append((char) ('0' + random.nextInt(75)));
            }
            text.append('\n');
        }
        Files.writeString(file, text.toString().toLowerCase(Locale.ROOT), StandardCharsets.US_ASCII);
    }
}
