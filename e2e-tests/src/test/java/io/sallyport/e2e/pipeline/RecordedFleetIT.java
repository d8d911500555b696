package io.sallyport.e2e.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.cli.SallyportCommand;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import io.sallyport.topics.ControlSeeds;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Real events of twelve hosts, from the sensor's spool to a reader of the structured log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RecordedFleetIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private static Path dir;

    private EmbeddedStack stack;

    @BeforeAll
    void start() throws Exception {
        stack = EmbeddedStack.start(StackSettings.onFreePorts(dir));
        try (var seeds = new ControlSeeds(stack.endpoints().bootstrapServers())) {
            seeds.put(Customer.newBuilder().setCustomerId("initech").build());
        }
    }

    @AfterAll
    void stop() {
        stack.close();
    }

    @Order(1)
    @ParameterizedTest(name = "{0}: codec {1}, priority split {2}")
    @CsvSource({"acme, 0, false", "globex, 1, false", "initech, 0, true"})
    void shouldReadEveryRecordedEventOnceAndInOrder(String customer, int codec, boolean prioritySplit)
            throws Exception {
        Path recording = RecordedEvents.fileOrSkip();
        Map<String, List<JsonNode>> sent = RecordedEvents.payloads(recording);
        long events = sent.values().stream().mapToLong(List::size).sum();

        try (var fleet = Fleet.start(config(recording, customer, codec, prioritySplit))) {
            assertThat(fleet.awaitDone(PATIENCE))
                    .as(fleet.failure().orElse("not done in time"))
                    .isTrue();
            assertThat(fleet.report().eventsAcked()).isEqualTo(events);
            assertThat(fleet.report().skipped()).isZero();
        }

        StructuredLog log = Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .until(
                        () -> StructuredLog.read(stack.endpoints().bootstrapServers(), customer),
                        l -> l.events() >= events);
        assertThat(log.faults).isEmpty();
        assertThat(log.markers).isEmpty();
        assertThat(log.events()).isEqualTo(events);
        assertThat(log.eventsBySensor.keySet()).isEqualTo(sent.keySet());
        log.eventsBySensor.forEach((sensor, found) -> assertSame(sensor, found, sent.get(sensor), prioritySplit));
    }

    /** After the others: it changes what they wrote. */
    @Test
    @Order(2)
    void shouldProveWhatWasRecordedAndFindWhatWasChanged() throws Exception {
        RecordedEvents.fileOrSkip();
        String bootstrap = stack.endpoints().bootstrapServers();
        Envelope event = StructuredLog.read(bootstrap, "globex").eventsBySensor.values().stream()
                .flatMap(List::stream)
                .skip(1_000)
                .findFirst()
                .orElseThrow();
        String identity = "globex/%s epoch %d seq %d".formatted(event.getSensorId(), event.getEpoch(), event.getSeq());
        assertThat(command("export", "--now").exit()).isZero();
        String pin = dir.resolve("recorded-pin").toString();
        assertThat(command("checkpoint", "--out", pin).exit()).isZero();
        assertThat(command("verify", "--from-log", "--pin", pin).exit()).isZero();
        assertThat(command("verify", "--from-export", "--pin", pin).exit()).isZero();

        Path proof = dir.resolve("recorded-proof.json");
        Command proved = command(
                "prove",
                "--customer",
                "globex",
                "--sensor",
                event.getSensorId(),
                "--epoch",
                Integer.toString(event.getEpoch()),
                "--seq",
                Long.toString(event.getSeq()),
                "--out",
                proof.toString());
        assertThat(proved.exit()).as(proved.printed()).isZero();
        String good = Files.readString(proof);
        assertThat(command("verify", "--proof", proof.toString(), "--pin", pin).exit())
                .isZero();
        // One bit of the recorded JSON.
        Files.writeString(proof, good.replaceFirst("\"payload\": \"eyJ", "\"payload\": \"eyI"));
        assertThat(Files.readString(proof)).isNotEqualTo(good);
        assertThat(command("verify", "--proof", proof.toString(), "--pin", pin).exit())
                .isEqualTo(1);

        Path file;
        try (var files = Files.walk(dir.resolve("export"))) {
            file = files.filter(found -> found.toString().endsWith(".parquet"))
                    .filter(found -> found.toString().contains("customer=globex"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        assertThat(command("verify", "--from-export", "--pin", pin).exit()).isEqualTo(1);

        var altered = event.toBuilder().setPayload(event.getPayload().concat(ByteString.copyFromUtf8(" ")));
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            Topics.STRUCTURED.name(),
                            event.getOrigin().getShard(),
                            ("globex/" + event.getSensorId()).getBytes(StandardCharsets.US_ASCII),
                            StructuredRecord.newBuilder()
                                    .setEvent(altered)
                                    .build()
                                    .toByteArray()))
                    .get();
        }
        Command tampered = command("verify", "--from-log", "--pin", pin);
        assertThat(tampered.exit()).isEqualTo(1);
        assertThat(tampered.printed()).contains(identity);
    }

    private record Command(int exit, String printed) {}

    private static Command command(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", dir.toString()));
        var printed = new StringWriter();
        int exit = SallyportCommand.commandLine()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute(all.toArray(String[]::new));
        return new Command(exit, printed.toString());
    }

    private static void assertSame(String sensor, List<Envelope> found, List<JsonNode> sent, boolean prioritySplit) {
        long previous = 0;
        for (Envelope event : found) {
            JsonNode payload = sent.get((int) event.getSeq() - 1);
            assertThat(RecordedEvents.json(event.getPayload().toByteArray()))
                    .as("%s seq %d", sensor, event.getSeq())
                    .isEqualTo(payload);
            if (!prioritySplit) {
                assertThat(event.getSeq()).as("%s in seq order", sensor).isGreaterThan(previous);
                previous = event.getSeq();
            }
        }
    }

    private FleetConfig config(Path recording, String customer, int codec, boolean prioritySplit) throws Exception {
        var credentials = CredentialFolder.open(new DataFolder(dir).credentials());
        return new FleetConfig(
                stack.endpoints().mtlsAddress(),
                customer,
                0,
                "",
                new DevCredentials(credentials, DevCredentials.Mode.MTLS, Clock.systemUTC()),
                new Workload.Replay(recording, 0),
                codec == 1 ? BatchHeader.CODEC_ZSTD : BatchHeader.CODEC_NONE,
                prioritySplit,
                Optional.empty(),
                0);
    }
}
