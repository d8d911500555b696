package io.sallyport.normalizer.streams;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.KraftBroker;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.RawRecords;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.topics.TopicAdmin;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures the normalizer alone, in a JVM of its own against a broker in another:
 *
 * <pre>{@code
 * NormalizerBench broker DIR PORT EVENT_BYTES BATCH_EVENTS TOTAL_MB   fills raw, prints READY, waits to be killed
 * NormalizerBench run PORT STATE_DIR EVENTS                          handles EVENTS events, prints one JSON line
 * }</pre>
 */
public final class NormalizerBench {
    private NormalizerBench() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("broker")) {
            broker(args);
        } else {
            run(args);
        }
    }

    private static void broker(String[] args) throws Exception {
        KraftBroker broker = KraftBroker.start(Path.of(args[1]), Integer.parseInt(args[2]));
        int eventBytes = Integer.parseInt(args[3]);
        int batchEvents = Integer.parseInt(args[4]);
        long total = Long.parseLong(args[5]) << 20;
        try (var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL)) {
            topics.create();
        }
        long events = 0;
        var random = new Random(1);
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "batch.size",
                        1 << 20,
                        "linger.ms",
                        5,
                        "max.request.size",
                        2 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            int sensors = 100;
            var seqs = new long[sensors];
            for (int i = 0; total > 0; i++) {
                int s = i % sensors;
                var sensor = new SensorKey("acme", "s-" + s);
                var batch = new BatchBuilder();
                for (int e = 0; e < batchEvents; e++) {
                    batch.add(++seqs[s], RawRecords.INGEST_US, 4, 1, ByteBuffer.wrap(json(eventBytes, random)));
                    total -= eventBytes;
                    events++;
                }
                byte[] body = batch.build(1, i, 0, 0);
                var record = new ProducerRecord<>(
                        Topics.RAW.name(), TestLogPartition.of(sensor), sensor.topicKeyBytes(), body);
                record.headers().add(RawHeaders.KIND, "BATCH".getBytes());
                record.headers()
                        .add(RawHeaders.STAMP, new RawRecords(sensor).stamp().toByteArray());
                producer.send(record);
            }
        }
        System.out.println("READY " + events);
        broker.awaitShutdown();
    }

    private static byte[] json(int bytes, Random random) {
        var text = new StringBuilder(bytes + 128);
        while (text.length() < bytes) {
            text.append("{\"pid\":")
                    .append(random.nextInt(65_536))
                    .append(",\"image\":\"C:\\\\Windows\\\\System32\\\\svchost.exe\",\"sha256\":\"")
                    .append(Long.toHexString(random.nextLong()))
                    .append(Long.toHexString(random.nextLong()))
                    .append("\",\"user\":\"NT AUTHORITY\\\\SYSTEM\",\"cmd\":\"-k netsvcs -p -s ")
                    .append(Long.toString(random.nextLong(), 36))
                    .append("\"}");
        }
        text.setLength(bytes);
        return text.toString().getBytes();
    }

    private static void run(String[] args) throws Exception {
        var meters = new SimpleMeterRegistry();
        long wanted = Long.parseLong(args[3]);
        try (var streams = new NormalizerStreams(
                new StreamsSettings(
                        "127.0.0.1:" + args[1],
                        "test",
                        Path.of(args[2]),
                        new StreamsSettings.Instance("bench", "", 10_000),
                        1,
                        100,
                        3_600_000,
                        TopicSizing.LOCAL),
                Incarnation.FIRST,
                Decider.dedupe(NormalizerRun.LIMITS, type -> type == 4),
                NormalizerRun.NONE,
                new NormalizerMetrics(meters, new Alerts(meters)),
                () -> {})) {
            streams.start();
            while (events(meters) == 0) {
                Thread.sleep(5);
            }
            long beganNanos = System.nanoTime();
            long beganCpu = cpuNanos();
            long skipped = events(meters);
            long half = 0;
            long halfNanos = 0;
            long halfCpu = 0;
            while (events(meters) < wanted) {
                Thread.sleep(20);
                if (half == 0 && events(meters) > wanted / 2) {
                    half = events(meters);
                    halfNanos = System.nanoTime();
                    halfCpu = cpuNanos();
                }
            }
            long endNanos = System.nanoTime();
            long endCpu = cpuNanos();
            printThreads();
            System.out.printf(
                    "{\"events\":%d,\"seconds\":%.2f,\"cpu_s\":%.2f,\"events_per_s\":%.0f,\"second_half\":{\"events\":%d,\"seconds\":%.2f,\"cpu_s\":%.2f}}%n",
                    wanted - skipped,
                    (endNanos - beganNanos) / 1e9,
                    (endCpu - beganCpu) / 1e9,
                    (wanted - skipped) * 1e9 / (endNanos - beganNanos),
                    wanted - half,
                    (endNanos - halfNanos) / 1e9,
                    (endCpu - halfCpu) / 1e9);
        }
        System.exit(0);
    }

    private static long events(SimpleMeterRegistry meters) {
        return (long) meters.find("sallyport.normalizer.events").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** CPU seconds of each native thread, compilers and collectors included. */
    private static void printThreads() throws java.io.IOException {
        try (var tasks = java.nio.file.Files.list(Path.of("/proc/self/task"))) {
            var lines = new java.util.ArrayList<String>();
            for (Path task : tasks.toList()) {
                String stat = java.nio.file.Files.readString(task.resolve("stat"));
                String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                long user = Long.parseLong(rest[11]);
                long system = Long.parseLong(rest[12]);
                if (user + system >= 20) {
                    lines.add("%8.2f user %6.2f system  %s"
                            .formatted(
                                    user / 100.0,
                                    system / 100.0,
                                    stat.substring(stat.indexOf('('), stat.lastIndexOf(')') + 1)));
                }
            }
            lines.stream().sorted(java.util.Comparator.reverseOrder()).forEach(System.err::println);
        }
    }

    /** The shared broker must not start for this. */
    private static final class TestLogPartition {
        static int of(SensorKey sensor) {
            return io.sallyport.envelope.routing.ShardMap.initial(8).shardOf(sensor, 0);
        }
    }
}
