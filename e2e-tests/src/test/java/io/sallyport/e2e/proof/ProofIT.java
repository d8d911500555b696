package io.sallyport.e2e.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.CommittedLog;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.cli.SallyportCommand;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.StackPorts;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One stack of its own, since the last test does harm to its log. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProofIT {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    static Path dir;

    private static EmbeddedStack stack;
    private static Path pin;

    @BeforeAll
    static void aStackWithEvents() throws Exception {
        stack = EmbeddedStack.start(new StackSettings(new DataFolder(dir), StackPorts.FREE, Map.of()));
        Result sim = run(
                "sim",
                "--gateway",
                stack.endpoints().token(),
                "--customer",
                "acme",
                "--sensors",
                "6",
                "--events",
                "600",
                "--report",
                dir.resolve("report.json").toString());
        assertThat(sim.exit).as(sim.out).isZero();
        pin = dir.resolve("pin");
        Result checkpoint = run("checkpoint", "--out", pin.toString());
        assertThat(checkpoint.exit).as(checkpoint.out).isZero();
    }

    @AfterAll
    static void stop() {
        stack.close();
    }

    @Test
    @Order(1)
    void shouldVerifyTheLogAgainstAPin() {
        Result verify = run("verify", "--from-log", "--pin", pin.toString(), "--json");
        assertThat(verify.exit).as(verify.out).isZero();
        assertThat(verify.json().get("verdict").asString()).isEqualTo("verified");
        assertThat(run("verify", "--from-log").exit).as("without a pin").isEqualTo(3);
        assertThat(run("verify", "--from-log", "--pin", dir.resolve("none").toString()).exit)
                .as("it cannot be checked")
                .isEqualTo(2);
    }

    @Test
    @Order(2)
    void shouldProveOneEventWithoutTheLog() throws Exception {
        JsonNode event = JSON.readTree(run("read", "structured", "--customer", "acme", "--max", "1").out);
        Path proof = dir.resolve("proof.json");
        // A checkpoint covers it a moment after it was committed.
        Result prove = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> run(
                                "prove",
                                "--customer",
                                "acme",
                                "--sensor",
                                event.get("sensor_id").asString(),
                                "--epoch",
                                event.get("epoch").asString(),
                                "--seq",
                                event.get("seq").asString(),
                                "--out",
                                proof.toString()),
                        proved -> proved.exit == 0);
        assertThat(prove.exit).as(prove.out).isZero();
        Path fresh = dir.resolve("fresh-pin");
        assertThat(run("checkpoint", "--out", fresh.toString()).exit).isZero();
        assertThat(run("verify", "--proof", proof.toString(), "--pin", pin.toString()).exit)
                .isIn(0, 3);
        assertThat(run("verify", "--proof", proof.toString(), "--pin", fresh.toString()).exit)
                .isZero();
        Files.writeString(proof, Files.readString(proof).replaceFirst("\"eventTsUs\": \"1", "\"eventTsUs\": \"2"));
        assertThat(run("verify", "--proof", proof.toString(), "--pin", fresh.toString()).exit)
                .isEqualTo(1);
        assertThat(run(
                                "prove",
                                "--customer",
                                "acme",
                                "--sensor",
                                "nobody",
                                "--epoch",
                                "1",
                                "--seq",
                                "1",
                                "--out",
                                proof.toString())
                        .exit)
                .isEqualTo(1);
    }

    @Test
    @Order(3)
    void shouldExportWhatIsThereUnderACheckpoint() throws Exception {
        Result export = run("export", "--now", "--json");
        assertThat(export.exit).as(export.out).isZero();
        assertThat(export.json().get("rows").asLong()).isEqualTo(600);
        JsonNode listed = run("export", "list", "--customer", "acme", "--json").json();
        assertThat(listed.get("rows").asLong()).isEqualTo(600);
        List<String> paths = new ArrayList<>();
        listed.get("files")
                .forEach(file -> paths.add("export/" + file.get("path").asString()));
        try (var files = Files.walk(dir.resolve("export"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".parquet"))
                            .map(file -> dir.relativize(file).toString()))
                    .isNotEmpty()
                    .allMatch(file -> file.contains("customer=acme"))
                    .containsExactlyInAnyOrderElementsOf(paths);
        }
        assertThat(run("export", "list", "--customer", "globex", "--json")
                        .json()
                        .get("files"))
                .isEmpty();
        assertThat(run("export", "list", "--customer", "../x").exit).isEqualTo(2);
    }

    @Test
    @Order(4)
    void shouldVerifyTheExportWithoutTheLog() throws Exception {
        Path fresh = dir.resolve("pin-after-export");
        assertThat(run("checkpoint", "--out", fresh.toString()).exit).isZero();
        Result verify = run("verify", "--from-export", "--pin", fresh.toString(), "--json");
        assertThat(verify.exit).as(verify.out).isZero();
        assertThat(verify.json().get("verdict").asString()).isEqualTo("verified");
        Path file;
        try (var files = Files.walk(dir.resolve("export"))) {
            file = files.filter(found -> found.toString().endsWith(".parquet"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] good = Files.readAllBytes(file);
        byte[] bad = good.clone();
        bad[bad.length - 9] ^= 1;
        Files.write(file, bad);
        assertThat(run("verify", "--from-export", "--pin", fresh.toString()).exit)
                .isEqualTo(1);
        Files.write(file, good);
        assertThat(run("verify", "--from-export", "--pin", fresh.toString()).exit)
                .isZero();
    }

    @Test
    @Order(9)
    void shouldFindARecordThatSomebodyAdded() throws Exception {
        StructuredRecord last = null;
        var partition = new TopicPartition(Topics.STRUCTURED.name(), 0);
        String bootstrap = stack.endpoints().bootstrapServers();
        for (int shard = 0; last == null && shard < 8; shard++) {
            partition = new TopicPartition(Topics.STRUCTURED.name(), shard);
            last = last(bootstrap, partition);
        }
        assertThat(last).isNotNull();
        Envelope event = last.getEvent();
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            partition.topic(),
                            partition.partition(),
                            new byte[] {1},
                            last.toBuilder()
                                    .setEvent(event.toBuilder()
                                            .setSeq(event.getSeq() + 1_000_000)
                                            .build())
                                    .build()
                                    .toByteArray()))
                    .get();
        }
        Result verify = run("verify", "--from-log", "--pin", pin.toString(), "--json");
        assertThat(verify.exit).as(verify.out).isEqualTo(1);
        assertThat(verify.json().get("shard").asInt()).isEqualTo(partition.partition());
        assertThat(verify.json().get("identity").asString())
                .isEqualTo("acme/%s epoch %d seq %d"
                        .formatted(event.getSensorId(), event.getEpoch(), event.getSeq() + 1_000_000));
    }

    private static StructuredRecord last(String bootstrap, TopicPartition partition) throws Exception {
        var records = CommittedLog.read(bootstrap, partition.topic(), partition.partition());
        return records.isEmpty()
                ? null
                : StructuredRecord.parseFrom(records.get(records.size() - 1).value());
    }

    private record Result(int exit, String out) {
        JsonNode json() {
            return JSON.readTree(out);
        }
    }

    private static Result run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", dir.toString()));
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = SallyportCommand.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Result(exit, out.toString() + err);
    }
}
