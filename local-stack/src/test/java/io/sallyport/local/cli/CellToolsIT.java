package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.sallyport.broker.KraftBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.ManifestHead;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.checkpoint.kafka.CheckpointCoordinator;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools against a cell: no stack in the data folder, and other counts of partitions than a local stack's. */
class CellToolsIT {
    private static final TopicSizing SIZING = new TopicSizing(16, 16, 16, 1, 1, false);
    private static final String CELL = "far-away";
    /** A sensor of a shard that a local stack has not. */
    private static final SensorKey SENSOR = IntStream.range(0, 1_000)
            .mapToObj(number -> SensorKey.of("acme", "s-" + number).orElseThrow())
            .filter(key -> shard(key) >= TopicSizing.LOCAL.shardsMax())
            .findFirst()
            .orElseThrow();

    private static final int SHARD = shard(SENSOR);

    @TempDir
    private static Path dir;

    private static KraftBroker broker;
    private static KafkaProducer<byte[], byte[]> producer;

    @BeforeAll
    static void start() throws Exception {
        broker = KraftBroker.start(dir.resolve("kafka"), 0);
        try (var topics = new TopicAdmin(broker.bootstrapServers(), SIZING);
                var seeds = new ControlSeeds(broker.bootstrapServers())) {
            topics.create();
            seeds.seedCell(SIZING.shardsMax());
        }
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @AfterAll
    static void stop() {
        producer.close();
        broker.close();
    }

    @Test
    void shouldChangeTheRegistries() {
        assertThat(onCell("event-type", "add", "RegistryValueSet").exit()).isZero();
        assertThat(onCell("read", "event-types", "--timeout", "1").out()).contains("RegistryValueSet");

        assertThat(onCell("customer", "set", "initech", "--name", "x").err()).contains("there is no customer initech");
        assertThat(onCell("customer", "add", "initech", "--name", "Initech", "--bytes-per-day", "5000", "--json")
                        .json()
                        .get("bytes_per_day")
                        .asLong())
                .isEqualTo(5_000);
        assertThat(onCell("customer", "suspend", "initech").out()).contains("is suspended");
        assertThat(onCell("customer", "set", "initech", "--events-per-second", "7", "--refuse-over-quota")
                        .out())
                .as("a quota lets nobody in")
                .contains("is suspended");
        assertThat(onCell("customer", "add", "initech").out()).contains("is suspended");
        var resumed = onCell("customer", "resume", "initech", "--json").json();
        assertThat(resumed.get("suspended").asBoolean()).isFalse();
        assertThat(resumed.get("display_name").asString()).isEqualTo("Initech");
        assertThat(resumed.get("bytes_per_day").asLong()).isEqualTo(5_000);
        assertThat(resumed.get("events_per_second").asLong()).isEqualTo(7);
        assertThat(resumed.get("refused_over_quota").asBoolean()).isTrue();
    }

    @Test
    void shouldPutQuarantinedContentBackWhereItCameFrom() throws Exception {
        write(
                Topics.QUARANTINE,
                12,
                Quarantined.newBuilder()
                        .setCustomerId(SENSOR.customerId())
                        .setSensorId(SENSOR.sensorId())
                        .setReason(Reason.UNREGISTERED_TYPE)
                        .setOriginal(ByteString.copyFromUtf8("content"))
                        .setRawStamp(Stamp.newBuilder()
                                .setCustomerId(SENSOR.customerId())
                                .setSensorId(SENSOR.sensorId())
                                .build()
                                .toByteString())
                        .setOrigin(Origin.newBuilder().setRawPartition(12))
                        .build());
        assertThat(onCell("requeue", "--json").json().get("requeued").asInt()).isEqualTo(1);
        assertThat(onCell("read", "raw", "--timeout", "1").lines())
                .singleElement()
                .satisfies(line -> assertThat(line.get("partition").asInt()).isEqualTo(12));
    }

    @Test
    void shouldProveAndVerifyWithThePublicKeyAlone() throws Exception {
        SigningKey signer = signer();
        try (var signing = sign(signer)) {
            Path pin = dir.resolve("pin");
            Path proof = dir.resolve("proof");
            Invocation checkpoint = onCell("checkpoint", "--key", signer.note().toString(), "--out", pin.toString());
            assertThat(checkpoint.exit()).as(checkpoint.err()).isZero();

            Invocation verified = onCell("verify", "--from-log", "--pin", pin.toString());
            assertThat(verified.exit()).as(verified.err() + verified.out()).isZero();
            assertThat(verified.out()).contains("shard " + SHARD + " generation 0: 1 segments");
            assertThat(onCell("verify", "--from-log", "--key", signer.note().toString())
                            .exit())
                    .as("consistent, but unanchored")
                    .isEqualTo(3);

            Invocation proved = onCell(
                    "prove",
                    "--customer",
                    SENSOR.customerId(),
                    "--sensor",
                    SENSOR.sensorId(),
                    "--epoch",
                    "1",
                    "--seq",
                    "1",
                    "--pin",
                    pin.toString(),
                    "--out",
                    proof.toString());
            assertThat(proved.exit()).as(proved.err()).isZero();
            assertThat(Invocation.of("verify", "--proof", proof.toString(), "--pin", pin.toString())
                            .exit())
                    .isZero();
        }
    }

    @Test
    void shouldSayWhatItNeedsOfACell() {
        assertThat(onCell("checkpoint", "--out", dir.resolve("none").toString()).err())
                .contains("the cell's public key is needed");
        assertThat(onCell("replay", "--status").exit()).isZero();
        assertThat(Invocation.of("requeue", "--kafka", "127.0.0.1:1").err())
                .contains("Kafka at 127.0.0.1:1 does not answer");
        assertThat(Invocation.of("requeue", "--kafka", "broker").exit()).isEqualTo(2);
        assertThat(Invocation.of("sensors", "--api", "http://127.0.0.1:1").err())
                .contains("--api and --token-file belong together");
    }

    private static Invocation onCell(String... args) {
        var all = new ArrayList<>(List.of(args));
        all.addAll(List.of(
                "--kafka",
                broker.bootstrapServers(),
                "--data",
                dir.resolve("nothing").toString()));
        return Invocation.of(all.toArray(String[]::new));
    }

    private static SigningKey signer() throws Exception {
        CredentialFolder credentials = CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        return SigningKey.read(CELL, credentials.checkpointKey());
    }

    /** One event, its segment, and a signer that has signed it. */
    private static CheckpointCoordinator sign(SigningKey key) throws Exception {
        var event = StructuredRecord.newBuilder()
                .setEvent(Envelope.newBuilder()
                        .setCustomerId(SENSOR.customerId())
                        .setSensorId(SENSOR.sensorId())
                        .setEpoch(1)
                        .setSeq(1)
                        .setEventType(4)
                        .setPayload(ByteString.copyFromUtf8("payload"))
                        .setOrigin(Origin.newBuilder().setShard(SHARD).setRawPartition(SHARD)))
                .build();
        var open = new OpenSegment(new TreeKey(CELL, SHARD, 0), 0, 0);
        open.add(SENSOR.customerId(), new LeafEncoder(new TreeHash()).leaf(event));
        write(Topics.STRUCTURED, SHARD, event);
        write(Topics.PROOF_SEGMENTS, SHARD, open.close(new TreeHash()));
        var signed = new CountDownLatch(1);
        var coordinator = new CheckpointCoordinator(
                broker.bootstrapServers(),
                new CheckpointCoordinator.Settings(key, Duration.ofMillis(50), Duration.ofSeconds(60)),
                ManifestHead.Next::of,
                new CheckpointCoordinator.Listener() {
                    @Override
                    public void published(CheckpointLog.Signed checkpoint) {
                        if (checkpoint.checkpoint().size() > 0) {
                            signed.countDown();
                        }
                    }

                    @Override
                    public void faulted(String why) {}

                    @Override
                    public void fenced() {}
                });
        coordinator.start();
        assertThat(signed.await(60, TimeUnit.SECONDS)).as("signed").isTrue();
        return coordinator;
    }

    private static void write(TopicSpec<?> topic, int partition, MessageLite value) throws Exception {
        producer.send(new ProducerRecord<>(
                        topic.name(),
                        partition,
                        SENSOR.toString().getBytes(StandardCharsets.UTF_8),
                        value.toByteArray()))
                .get();
    }

    private static int shard(SensorKey key) {
        return ShardMap.initial(SIZING.shardsMax()).shardOf(key, 0);
    }
}
