package io.sallyport.e2e.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import io.sallyport.topics.ControlSeeds;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Real events of twelve hosts, from the sensor's spool to a reader of the structured log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
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
