package io.sallyport.sim.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.sim.model.CloudSensor;
import io.sallyport.sim.model.ModelSession;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole fleets over TLS sockets against the gateway model. */
class FleetIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private TestGateway gateway;

    @BeforeEach
    void open() throws Exception {
        gateway = new TestGateway(false);
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private FleetConfig config(int sensors, Workload workload, Optional<Path> spool) {
        return new FleetConfig(
                gateway.address(),
                "acme",
                sensors,
                "s-",
                gateway.credentials(),
                workload,
                BatchHeader.CODEC_NONE,
                false,
                spool,
                0);
    }

    private long appended() throws Exception {
        return gateway.ask(() -> gateway.sensors.values().stream()
                .mapToLong(sensor -> sensor.current().contents.size())
                .sum());
    }

    private List<String> breaches() throws Exception {
        return gateway.ask(() -> {
            var all = new ArrayList<String>();
            gateway.sensors.values().forEach(sensor -> all.addAll(sensor.breaches));
            return all;
        });
    }

    @Test
    void shouldDeliverEveryGeneratedEventInFullFrames() throws Exception {
        try (Fleet fleet = Fleet.start(config(3, new Workload.Generated(3_000, 0, 32_768), Optional.empty()))) {
            assertThat(fleet.awaitConnected(LONG)).isTrue();
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            FleetReport report = fleet.report();
            assertThat(report.eventsSent()).isEqualTo(3_000);
            assertThat(report.eventsAcked()).isEqualTo(3_000);
            assertThat(report.skipped()).isZero();
            assertThat(report.connected()).isEqualTo(3);
            assertThat(report.batches()).isLessThan(3_000 / 20);
            assertThat(report.bytes()).isGreaterThan(3_000L * 32_768);
            assertThat(report.ackLatencyMs().max()).isPositive();
        }
        assertThat(appended()).isEqualTo(3_000);
        assertThat(breaches()).isEmpty();
    }

    @Test
    void shouldAuthenticateWithACertificateOfEachSensor() throws Exception {
        gateway.close();
        gateway = new TestGateway(true);
        try (Fleet fleet = Fleet.start(config(4, new Workload.Generated(40, 0, 100), Optional.empty()))) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.failure()).isTrue();
        }
        assertThat(appended()).isEqualTo(40);
    }

    @Test
    void shouldCompressAndSplitByPriority() throws Exception {
        var config = new FleetConfig(
                gateway.address(),
                "acme",
                2,
                "s-",
                gateway.credentials(),
                new Workload.Generated(2_000, 0, 0),
                BatchHeader.CODEC_ZSTD,
                true,
                Optional.empty(),
                0);
        try (Fleet fleet = Fleet.start(config)) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().bytes()).isLessThan(2_000L * 32_768 / 2);
        }
        assertThat(appended()).isEqualTo(2_000);
        assertThat(breaches()).isEmpty();
    }

    @Test
    void shouldLoseNothingWhenTheGatewayDiesAgainAndAgain() throws Exception {
        try (Fleet fleet = Fleet.start(config(5, new Workload.Generated(4_000, 2_000, 2_000), Optional.empty()))) {
            for (int i = 1; i <= 4; i++) {
                long some = i * 700L;
                await().atMost(LONG).until(() -> appended() >= some);
                gateway.kill();
            }
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().reconnects()).isGreaterThanOrEqualTo(4);
            assertThat(fleet.report().eventsAcked()).isEqualTo(4_000);
        }
        assertThat(appended()).isEqualTo(4_000);
        assertThat(breaches()).isEmpty();
    }

    @Test
    void shouldGoOnWhereAStoppedFleetWasAndMakeExactlyTheEventsAskedFor() throws Exception {
        var workload = new Workload.Generated(3_000, 3_000, 1_000);
        for (int run = 1; run <= 3; run++) {
            long some = run * 600L;
            try (Fleet fleet = Fleet.start(config(3, workload, Optional.of(folder)))) {
                await().atMost(LONG).until(() -> appended() >= some);
            }
        }
        try (Fleet fleet = Fleet.start(config(3, workload, Optional.of(folder)))) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().eventsAcked()).isEqualTo(3_000);
            assertThat(fleet.report().eventsSent()).isEqualTo(3_000);
            assertThat(fleet.report().skipped()).isZero();
        }
        assertThat(appended()).isEqualTo(3_000);
        assertThat(breaches()).isEmpty();
        assertThat(gateway.sensors.values())
                .allSatisfy(sensor -> assertThat(sensor.highWater).as("epochs").isEqualTo(1));
    }

    @Test
    void shouldReplayARecordingByteByByteInTheOrderOfTheFile() throws Exception {
        Path file = folder.resolve("recorded.jsonl");
        var lines = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            lines.append("{\"sensor\":\"host").append(i % 3).append("\",\"type\":\"ProcessStart\",\"ts_us\":");
            lines.append(1_000 + i).append(",\"payload\":{ \"n\" : ").append(i).append(",\"ü\":\"\\u00e4\"}}\n");
        }
        Files.writeString(file, lines, StandardCharsets.UTF_8);
        try (Fleet fleet = Fleet.start(config(0, new Workload.Replay(file, 0), Optional.empty()))) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().eventsAcked()).isEqualTo(500);
        }
        assertThat(gateway.sensors).containsOnlyKeys("host0", "host1", "host2");
        CloudSensor first = gateway.sensors.get("host0");
        assertThat(first.logSeqs).isSorted().hasSize(167);
        assertThat(breaches()).isEmpty();
        assertThat(gateway.headers).allMatch(BatchHeader::isReplay);
    }

    @Test
    void shouldSayWhyItCannotConnect() throws Exception {
        var nowhere = new FleetConfig(
                // Nobody listens there: a port that was free a moment ago may be somebody else's by now.
                new InetSocketAddress("127.0.0.1", 1),
                "acme",
                1,
                "s-",
                gateway.credentials(),
                new Workload.Generated(1, 0, 10),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0);
        try (Fleet fleet = Fleet.start(nowhere)) {
            await().atMost(LONG).until(() -> fleet.connectProblem().isPresent());
            assertThat(fleet.connectProblem()).hasValue("connection refused");
        }
    }

    @Test
    void shouldReportAFinalRefusal() throws Exception {
        gateway.faults = new ModelSession.Faults() {
            @Override
            public Optional<Reject> start(SensorStart start) {
                return Optional.of(Reject.newBuilder()
                        .setCode(RejectCode.IDENTITY_MISMATCH)
                        .setDetail("not\nyou")
                        .build());
            }
        };
        try (Fleet fleet = Fleet.start(config(1, new Workload.Generated(1, 0, 10), Optional.empty()))) {
            assertThat(fleet.awaitConnected(LONG)).isFalse();
            assertThat(fleet.failure())
                    .hasValueSatisfying(reason ->
                            assertThat(reason).contains("IDENTITY_MISMATCH").contains("not?you"));
        }
    }

    @Test
    void shouldSkipExactlyWhatTheGatewayNeverTakes() throws Exception {
        var refusals = new AtomicInteger();
        gateway.faults = new ModelSession.Faults() {
            private long victim;

            @Override
            public Optional<Reject> batch(BatchHeader header, List<Long> contents) {
                if (victim == 0 && contents.size() > 3) {
                    victim = contents.get(2);
                }
                if (!contents.contains(victim)) {
                    return Optional.empty();
                }
                refusals.incrementAndGet();
                return Optional.of(
                        Reject.newBuilder().setCode(RejectCode.BATCH_MALFORMED).build());
            }
        };
        try (Fleet fleet = Fleet.start(config(1, new Workload.Generated(500, 0, 500), Optional.empty()))) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().skipped()).isEqualTo(1);
            assertThat(fleet.report().eventsAcked()).isEqualTo(499);
        }
        assertThat(refusals).hasValue(4);
        assertThat(gateway.sensors.get("s-0").current().skips).hasSize(1).containsValue(3);
    }

    @Test
    void shouldApplyAMessageOnceOverARestartAndAnswerEachTime() throws Exception {
        var outcomes = new CopyOnWriteArrayList<MessageListener.Outcome>();
        MessageListener listener = (sensor, message, outcome) -> outcomes.add(outcome);
        Message message = Message.newBuilder()
                .setMsgId("m-1")
                .setType(MessageType.CONFIG_UPDATE)
                .build();
        FleetConfig config = config(1, new Workload.Endless(10, 100), Optional.of(folder));
        try (Fleet fleet = Fleet.start(config, listener)) {
            assertThat(fleet.awaitConnected(LONG)).isTrue();
            gateway.toAll(session -> {
                session.send(FrameType.MESSAGE, message);
                session.send(FrameType.MESSAGE, message);
                session.drain(0);
            });
            assertThat(answers(0, 2)).containsExactly("+m-1", "+m-1");
            assertThat(fleet.report().messagesApplied()).isEqualTo(1);
            assertThat(fleet.report().messagesRepeated()).isEqualTo(1);
        }
        int before = gateway.ask(() -> gateway.sessions.size());
        try (Fleet fleet = Fleet.start(config, listener)) {
            assertThat(fleet.awaitConnected(LONG)).isTrue();
            gateway.toAll(session -> session.send(FrameType.MESSAGE, message));
            assertThat(answers(before, 1)).containsExactly("+m-1");
            assertThat(fleet.report().messagesApplied()).isZero();
        }
        assertThat(outcomes)
                .containsExactly(
                        MessageListener.Outcome.APPLIED,
                        MessageListener.Outcome.REPEATED,
                        MessageListener.Outcome.REPEATED);
    }

    @Test
    void shouldRefuseTheShareOfMessagesThatItIsTold() throws Exception {
        var config = new FleetConfig(
                gateway.address(),
                "acme",
                1,
                "s-",
                gateway.credentials(),
                new Workload.Generated(0, 0, 1),
                BatchHeader.CODEC_NONE,
                false,
                Optional.empty(),
                0.5);
        int messages = 200;
        try (Fleet fleet = Fleet.start(config)) {
            assertThat(fleet.awaitConnected(LONG)).isTrue();
            gateway.toAll(session -> {
                for (int i = 0; i < messages; i++) {
                    session.send(
                            FrameType.MESSAGE,
                            Message.newBuilder().setMsgId("m-" + i).build());
                }
            });
            List<String> answers = answers(0, messages);
            long refused =
                    answers.stream().filter(answer -> answer.startsWith("-")).count();
            assertThat(refused).isBetween(messages / 4L, messages * 3L / 4);
            assertThat(fleet.report().messagesRefused()).isEqualTo(refused);
            assertThat(fleet.report().messagesApplied()).isEqualTo(messages - refused);
        }
    }

    private List<String> answers(int session, int count) throws Exception {
        ModelSession asked = gateway.ask(() -> gateway.sessions.get(session));
        await().atMost(LONG).until(() -> gateway.ask(() -> asked.answeredMessages.size()) == count);
        return gateway.ask(() -> List.copyOf(asked.answeredMessages));
    }

    @Test
    void shouldFollowMovedToAnotherCell() throws Exception {
        try (var elsewhere = new TestGateway(false)) {
            gateway.faults = new ModelSession.Faults() {
                @Override
                public Optional<Reject> start(SensorStart start) {
                    return Optional.of(Reject.newBuilder()
                            .setCode(RejectCode.MOVED)
                            .setEndpoint("127.0.0.1:" + elsewhere.address().getPort())
                            .build());
                }
            };
            try (Fleet fleet = Fleet.start(config(1, new Workload.Generated(10, 0, 10), Optional.empty()))) {
                assertThat(fleet.awaitDone(LONG)).isTrue();
            }
            assertThat(elsewhere.sensors.get("s-0").current().contents).hasSize(10);
        }
    }

    @Test
    void shouldConnectManySensorsAndGiveTheirFilesBack() throws Exception {
        long before = openFiles();
        try (Fleet fleet = Fleet.start(config(300, new Workload.Generated(900, 0, 200), Optional.empty()))) {
            assertThat(fleet.awaitDone(LONG)).as("done: %s", fleet.report()).isTrue();
            assertThat(fleet.report().connected()).isEqualTo(300);
        }
        assertThat(appended()).isEqualTo(900);
        await().atMost(LONG).until(() -> openFiles() <= before + 5);
    }

    private static long openFiles() throws Exception {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
