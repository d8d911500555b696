package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.Drain;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.session.netty.BoundPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Three gateways are replaced one after the other while sensors send: nothing is lost, nobody gets a new epoch. */
class RollingRestartIT {
    private static final int NODES = 3;
    private static final int SENSORS = 24;
    private static final int JITTER_MS = 500;

    @TempDir
    Path stateDir;

    private final Map<Integer, ConfigurableApplicationContext> nodes = new ConcurrentHashMap<>();
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final Queue<Drain> drains = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean stopping;

    @AfterEach
    void stop() {
        stopping = true;
        threads.shutdownNow();
        nodes.values().forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(int node) {
        return SessionServiceIT.start(
                stateDir.resolve("node-" + node),
                "--sallyport.session.node=" + (node + 3),
                "--sallyport.session.link.drain-deadline=10s",
                "--sallyport.session.link.drain-jitter=" + JITTER_MS + "ms");
    }

    @Test
    void shouldLoseNothingAndSpreadTheReconnects() throws Exception {
        for (int node = 0; node < NODES; node++) {
            nodes.put(node, start(node));
        }
        var sensors = new ArrayList<Future<?>>();
        for (int i = 0; i < SENSORS; i++) {
            String name = "rolling-" + i;
            sensors.add(threads.submit(() -> live(name)));
        }
        for (int node = 0; node < NODES; node++) {
            ConfigurableApplicationContext old = Objects.requireNonNull(nodes.get(node));
            progress(20);
            int http = port(old, "local.server.port");
            assertThat(drain(http)).contains("\"draining\":true");
            assertThat(drain(http)).contains("\"draining\":true");
            assertThat(call(http, "GET", "/actuator/health/readiness").statusCode())
                    .isEqualTo(503);
            Awaitility.await()
                    .atMost(30, TimeUnit.SECONDS)
                    .until(() -> call(http, "GET", "/actuator/drain").body().contains("\"sessions\":0"));
            nodes.remove(node);
            old.close();
            nodes.put(node, start(node));
        }
        progress(20);
        stopping = true;
        for (Future<?> sensor : sensors) {
            sensor.get(60, TimeUnit.SECONDS);
        }
        Map<String, Set<Long>> appended = appended();
        acknowledged.forEach((sensor, watermark) -> {
            for (long seq = 1; seq <= watermark; seq++) {
                assertThat(appended.get(sensor)).as(sensor).contains(seq);
            }
        });
        assertThat(drains)
                .hasSizeGreaterThanOrEqualTo(SENSORS / 2)
                .allSatisfy(drain -> assertThat(drain.jitterMs()).isEqualTo(JITTER_MS));
        // Those of one node are closed one after the other, not all at its deadline.
        assertThat(drains.stream().map(Drain::deadlineMs).distinct().count()).isGreaterThan(2);
    }

    /** Every sensor gets some more events acknowledged. */
    private void progress(long events) {
        Map<String, Long> before = Map.copyOf(acknowledged);
        Awaitility.await()
                .atMost(90, TimeUnit.SECONDS)
                .until(() -> acknowledged.size() == SENSORS
                        && acknowledged.entrySet().stream()
                                .allMatch(now -> now.getValue() >= before.getOrDefault(now.getKey(), 0L) + events));
    }

    /** A sensor from its installation to the end of the test. */
    private Void live(String name) throws Exception {
        var disk = new Disk();
        while (!stopping) {
            List<ConfigurableApplicationContext> up = List.copyOf(nodes.values());
            try {
                int port = port(up.get(ThreadLocalRandom.current().nextInt(up.size())));
                try (SensorSocket socket =
                        SensorSocket.connect(port, TestPki.shared().client(null))) {
                    session(name, socket, disk);
                }
            } catch (IOException | IllegalStateException e) {
                // Refused, drained or closed: the next try finds another node.
            }
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(JITTER_MS));
        }
        return null;
    }

    private static final class Disk {
        long epoch;
        long acked;
        long nextSeq = 1;
        long lastSession;
    }

    private void session(String name, SensorSocket socket, Disk disk) throws IOException {
        var start = Wire.start("acme", name)
                .setToken(TestPki.shared().token("acme", name))
                .setNextSeq(disk.nextSeq)
                .setWatermark(disk.acked)
                .setLastSessionId(disk.lastSession);
        if (disk.epoch != 0) {
            start.setEpoch((int) disk.epoch);
        }
        socket.send(FrameType.SENSOR_START, start.build());
        SensorSocket.Frame first = socket.read();
        if (first.type() != FrameType.ACCEPT) {
            return;
        }
        Accept accept = Accept.parseFrom(first.body());
        assertThat(accept.getVerdict())
                .isEqualTo(disk.epoch == 0 ? EpochVerdict.NEW_EPOCH_FIRST : EpochVerdict.RESUMED);
        disk.epoch = accept.getEpoch();
        long sent = accept.getWatermark();
        while (!stopping) {
            disk.lastSession = accept.getSessionId();
            disk.nextSeq = Math.max(disk.nextSeq, sent + 6);
            socket.send(FrameType.BATCH, Wire.batch(disk.epoch, (int) sent, sent + 1, sent + 5, 50));
            sent += 5;
            while (disk.acked < sent) {
                SensorSocket.Frame frame = socket.read();
                if (frame.type() == FrameType.ACK) {
                    disk.acked = Ack.read(ByteBuffer.wrap(frame.body()))
                            .orElseThrow()
                            .watermark();
                    acknowledged.put(name, disk.acked);
                } else if (frame.type() == FrameType.DRAIN) {
                    drains.add(Drain.read(ByteBuffer.wrap(frame.body())).orElseThrow());
                } else if (frame.type() == FrameType.REJECT) {
                    return;
                }
            }
        }
    }

    private static Map<String, Set<Long>> appended() {
        Map<String, Object> config =
                Map.of("bootstrap.servers", TestBroker.shared().bootstrapServers());
        var found = new HashMap<String, Set<Long>>();
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor("raw").stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    String kind = new String(
                            record.headers().lastHeader(RawHeaders.KIND).value(), StandardCharsets.UTF_8);
                    if (record.key().startsWith("acme/rolling-") && kind.equals("BATCH")) {
                        seqs(record.value(), found.computeIfAbsent(record.key().substring(5), key -> new TreeSet<>()));
                    }
                }
            }
        }
        return found;
    }

    private static void seqs(byte[] body, Set<Long> into) {
        ByteBuffer block = ByteBuffer.wrap(body).position(BatchHeader.BYTES);
        while (block.hasRemaining()) {
            into.add(block.getLong());
            block.position(block.position() + 12);
            block.position(block.position() + 4 + block.getInt(block.position()));
        }
    }

    private static int port(ConfigurableApplicationContext node) {
        Integer port = node.getBean(BoundPorts.class).asMap().get("token");
        if (port == null) {
            throw new IllegalStateException("closed already");
        }
        return port;
    }

    private static int port(ConfigurableApplicationContext node, String property) {
        return Integer.parseInt(Objects.requireNonNull(node.getEnvironment().getProperty(property)));
    }

    private static String drain(int http) throws Exception {
        HttpResponse<String> answer = call(http, "POST", "/actuator/drain");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static HttpResponse<String> call(int port, String method, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
