package io.sallyport.session.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.RawHeaders;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.RawPressure;
import io.sallyport.session.core.SensorRoute;
import io.sallyport.topics.TopicAdmin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The appender on a broker of its own, which the tests stop, start and change under it. */
class RawAppenderIT {
    private static final int MAX_REQUEST_BYTES = (1 << 20) + (64 << 10);
    private static final SensorRoute ROUTE = SensorRoute.of(new SensorKey("acme", "appender"));

    @TempDir
    private Path dir;

    private KraftBroker broker;
    private RawAppender appender;
    private LogProbe probe;

    @BeforeEach
    void start() throws Exception {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
        broker = KraftBroker.start(dir, 0);
        try (var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL)) {
            topics.create();
        }
        appender = new RawAppender(
                new RawProducers(
                        broker.bootstrapServers(),
                        0,
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(2),
                        MAX_REQUEST_BYTES,
                        RawProducers.bufferBytesFor(16 << 20, MAX_REQUEST_BYTES, 8)),
                ShardMap.initial(8),
                partition -> RawPressure.NONE);
        probe = new LogProbe(broker.bootstrapServers(), 0, 1);
    }

    @AfterEach
    void stop() {
        appender.close();
        probe.close();
        broker.close();
    }

    private CompletableFuture<RawLog.Result> append(byte[] value) {
        var result = new CompletableFuture<RawLog.Result>();
        appender.append(
                ROUTE,
                RawKind.BATCH,
                value,
                Stamp.newBuilder().setCustomerId("acme").setSessionId(7).build(),
                result::complete);
        return result;
    }

    private static RawLog.Result outcome(CompletableFuture<RawLog.Result> result) throws Exception {
        return result.get(60, TimeUnit.SECONDS);
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(100).putInt(number).array();
    }

    private List<ConsumerRecord<String, byte[]>> records() {
        Map<String, Object> config =
                Map.of("bootstrap.servers", broker.bootstrapServers(), "max.partition.fetch.bytes", 8 << 20);
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partition = new TopicPartition("raw", ShardMap.initial(8).at(0).shardOf(ROUTE.slot()));
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            var found = new ArrayList<ConsumerRecord<String, byte[]>>();
            Awaitility.await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
                return consumer.position(partition) >= end;
            });
            return found;
        }
    }

    @Test
    void shouldAppendInOrderWithKeyKindAndStamp() throws Exception {
        var results = new ArrayList<CompletableFuture<RawLog.Result>>();
        for (int i = 0; i < 2_000; i++) {
            results.add(append(number(i)));
        }
        for (var result : results) {
            assertThat(outcome(result)).isEqualTo(RawLog.Result.DURABLE);
        }
        var records = records();
        assertThat(records).hasSize(2_000);
        for (int i = 0; i < records.size(); i++) {
            assertThat(records.get(i).value()).isEqualTo(number(i));
        }
        var record = records.get(0);
        assertThat(record.key()).isEqualTo("acme/appender");
        assertThat(record.headers().lastHeader(RawHeaders.KIND).value()).isEqualTo("BATCH".getBytes());
        assertThat(Stamp.parseFrom(record.headers().lastHeader(RawHeaders.STAMP).value())
                        .getSessionId())
                .isEqualTo(7);
    }

    @Test
    void shouldTakeTheLargestRecordThatTheLimitsAllow() throws Exception {
        assertThat(RawRecords.maxBytes(LinkLimits.DEFAULTS)).isLessThanOrEqualTo(MAX_REQUEST_BYTES);
        assertThat(outcome(append(new byte[LinkLimits.DEFAULTS.maxFrameBytes() - 1])))
                .isEqualTo(RawLog.Result.DURABLE);
    }

    /** H03 (g): the topic's limit is lowered while the node runs. */
    @Test
    void h03ShouldRefuseTheLargeRecordOnceAndTakeTheSmallOne() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, "raw"),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", "100000"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        byte[] large = new byte[200_000];
        new Random(1).nextBytes(large);
        Awaitility.await().until(() -> outcome(append(large)) == RawLog.Result.TOO_LARGE);
        // Handed over together, they share a request: the large one must not take the small ones with it.
        var before = append(number(1));
        var refused = append(large);
        var after = append(number(2));
        assertThat(outcome(refused)).isEqualTo(RawLog.Result.TOO_LARGE);
        assertThat(outcome(before)).isEqualTo(RawLog.Result.DURABLE);
        assertThat(outcome(after)).isEqualTo(RawLog.Result.DURABLE);
        assertThat(appender.isFailing()).isFalse();
        // Many small ones that together pass the limit are cut up until they fit.
        var many = new ArrayList<CompletableFuture<RawLog.Result>>();
        for (int i = 0; i < 20; i++) {
            many.add(append(new byte[30_000]));
        }
        for (var one : many) {
            assertThat(outcome(one)).isEqualTo(RawLog.Result.DURABLE);
        }
    }

    @Test
    void shouldRefuseAndRecoverWithoutARestart() throws Exception {
        Awaitility.await().until(() -> probe.trouble().isEmpty());
        assertThat(outcome(append(number(0)))).isEqualTo(RawLog.Result.DURABLE);
        int port = Integer.parseInt(broker.bootstrapServers().split(":")[1]);
        broker.close();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !probe.trouble().isEmpty());
        var results = new ArrayList<CompletableFuture<RawLog.Result>>();
        long started = System.nanoTime();
        for (int i = 1; i <= 50; i++) {
            results.add(append(number(i)));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - started))
                .as("handing over does not wait for the broker")
                .isLessThan(Duration.ofSeconds(2));
        assertThat(outcome(results.get(0))).isEqualTo(RawLog.Result.UNAVAILABLE);
        assertThat(appender.isFailing()).isTrue();

        broker = restart(port);
        var again = new ArrayList<CompletableFuture<RawLog.Result>>();
        for (int i = 100; i < 150; i++) {
            again.add(append(number(i)));
        }
        for (var result : again) {
            assertThat(outcome(result)).isEqualTo(RawLog.Result.DURABLE);
        }
        assertThat(appender.isFailing()).isFalse();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> probe.trouble().isEmpty());
        // Whatever was called durable is there, and in order.
        var durable = new ArrayList<Integer>();
        durable.add(0);
        for (int i = 0; i < results.size(); i++) {
            if (outcome(results.get(i)) == RawLog.Result.DURABLE) {
                durable.add(i + 1);
            }
        }
        for (int i = 100; i < 150; i++) {
            durable.add(i);
        }
        var numbers = records().stream()
                .map(record -> ByteBuffer.wrap(record.value()).getInt())
                .toList();
        assertThat(numbers).containsSubsequence(durable);
        assertThat(numbers).doesNotHaveDuplicates();
    }

    @Test
    void shouldFinishWhatItWasGivenBeforeItCloses() throws Exception {
        var results = new ArrayList<CompletableFuture<RawLog.Result>>();
        for (int i = 0; i < 500; i++) {
            results.add(append(number(i)));
        }
        appender.close();
        for (var result : results) {
            assertThat(outcome(result)).isEqualTo(RawLog.Result.DURABLE);
        }
        assertThat(outcome(append(number(1)))).isEqualTo(RawLog.Result.UNAVAILABLE);
        assertThat(records()).hasSize(500);
    }

    private KraftBroker restart(int port) throws IOException {
        return KraftBroker.start(dir, port);
    }
}
