package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.ReportKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One connection under random schedules: frames, late and failed appends, late and failed reports, takeovers, drains,
 * ticks. After every step it holds that nothing is acknowledged that is not settled, that the watermark does not fall,
 * that no ACK precedes the first-append report, that the log has the order of receipt, and that the end is the end.
 */
class LinkMachineSimulationTest {
    private static final LinkRules RULES =
            new LinkRules(new LinkLimits(1_048_576, 512, 65_536, 4_194_304, 8, 1_024), 1, 10_000, 60_000, 30_000);
    private static final long EPOCH = 7;
    private static final long SESSION = 1L << 30;

    private final BatchAdmission admission = new BatchAdmission(RULES.limits());

    @AfterEach
    void close() {
        admission.close();
    }

    static java.util.stream.LongStream seeds() {
        return java.util.stream.LongStream.rangeClosed(1, 300);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepItsPromisesOnRandomSchedules(long seed) {
        new Run(seed).play();
    }

    /** A record that the log was given and has not answered for. */
    private record Open(Effect.Append append, List<Long> seqs) {}

    private final class Run {
        private final long seed;
        private final Random random;
        private final LinkMachine machine;
        private final List<Open> open = new ArrayList<>();
        private final List<ReportKind> openReports = new ArrayList<>();
        private final TreeSet<Long> settled = new TreeSet<>();
        private final List<byte[]> received = new ArrayList<>();
        private final List<byte[]> appended = new ArrayList<>();
        private final long base;
        private long nowMs = 1_000;
        private long acked;
        private boolean granted;
        private boolean firstAppendDurable;
        private boolean ended;
        private int disconnects;

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.base = random.nextInt(20);
            this.acked = base;
            this.machine = new LinkMachine(RULES, admission, now());
        }

        private Now now() {
            return new Now(nowMs, nowMs * 1_000);
        }

        void play() {
            machine.secured();
            act(out -> machine.received(
                    new Inbound.Frame(
                            FrameType.SENSOR_START,
                            SensorStart.newBuilder()
                                    .setProtocolVersion(1)
                                    .setCustomerId("acme")
                                    .setSensorId("s")
                                    .setEpoch((int) EPOCH)
                                    .setWatermark(base)
                                    .setNextSeq(base + 1)
                                    .build()
                                    .toByteArray()),
                    new Willing(),
                    now(),
                    out));
            for (int step = 0; step < 400; step++) {
                nowMs += random.nextInt(200);
                step();
            }
            act(machine::disconnected);
            while (!open.isEmpty()) {
                answer(0, RawLog.Result.DURABLE);
            }
            assertThat(disconnects).as("seed %d: reports of the end", seed).isEqualTo(granted ? 1 : 0);
        }

        private void step() {
            switch (random.nextInt(14)) {
                case 0, 1, 2, 3 -> batch();
                case 4 -> skip();
                case 5, 6, 7, 8 -> {
                    if (!open.isEmpty()) {
                        // Mostly in order; a partition of another leader may be faster.
                        int at = random.nextInt(4) == 0 ? random.nextInt(open.size()) : 0;
                        answer(at, random.nextInt(6) == 0 ? RawLog.Result.UNAVAILABLE : RawLog.Result.DURABLE);
                    }
                }
                case 9 -> {
                    if (!openReports.isEmpty()) {
                        ReportKind kind = openReports.remove(0);
                        boolean durable = random.nextInt(4) > 0;
                        firstAppendDurable |= durable && kind == ReportKind.REPORT_FIRST_APPEND;
                        act(out -> machine.reported(kind, durable, now(), out));
                    }
                }
                case 10, 11 -> act(machine::ack);
                case 12 -> act(out -> machine.tick(now(), out));
                default -> rare();
            }
        }

        private void rare() {
            switch (random.nextInt(40)) {
                case 0 -> act(out -> machine.changed(EPOCH, SESSION + 1, out));
                case 1 -> act(out -> machine.changed(EPOCH + 1, SESSION, out));
                case 2 -> act(out -> machine.drain(5_000, 100, now(), out));
                case 3 ->
                    act(out -> machine.received(
                            new Inbound.Broken(RejectCode.FRAME_TOO_LARGE, "x"), new Willing(), now(), out));
                case 4 ->
                    act(out -> machine.received(
                            new Inbound.Frame(FrameType.SKIP, new Skip(EPOCH + 1, 1, 2, 1).toBytes()),
                            new Willing(),
                            now(),
                            out));
                case 5 -> machine.writable(random.nextBoolean(), now());
                default -> machine.reading(random.nextBoolean(), now());
            }
        }

        private void batch() {
            var builder = new BatchBuilder();
            var seqs = new ArrayList<Long>();
            long seq = Math.max(1, acked - 2 + random.nextInt(10));
            int count = 1 + random.nextInt(5);
            for (int i = 0; i < count; i++) {
                builder.add(seq, 1, 4, 1, ByteBuffer.wrap(new byte[1 + random.nextInt(3)]));
                seqs.add(seq);
                seq += random.nextInt(5) == 0 ? 2 : 1;
            }
            byte[] body = builder.build(random.nextInt(15) == 0 ? EPOCH - 1 : EPOCH, 1, random.nextInt(2), 0);
            frame(FrameType.BATCH, body, seqs);
        }

        private void skip() {
            long from = Math.max(1, acked + random.nextInt(6));
            long to = from + random.nextInt(4);
            var seqs = new ArrayList<Long>();
            for (long seq = from; seq <= to; seq++) {
                seqs.add(seq);
            }
            frame(FrameType.SKIP, new Skip(EPOCH, from, to, 1).toBytes(), seqs);
        }

        private void frame(FrameType type, byte[] body, List<Long> seqs) {
            int before = open.size();
            List<Effect> out = act(o -> machine.received(new Inbound.Frame(type, body), new Willing(), now(), o));
            if (open.size() > before) {
                open.get(open.size() - 1).seqs().addAll(seqs);
                received.add(body);
                assertThat(appended.get(appended.size() - 1))
                        .as("seed %d", seed)
                        .isSameAs(body);
            } else if (!ended && type == FrameType.BATCH) {
                assertThat(out)
                        .as("seed %d: a batch is appended or refused", seed)
                        .anyMatch(effect -> effect instanceof Effect.Refuse || effect instanceof Effect.End);
            }
            assertThat(appended).as("seed %d: order of the log", seed).isEqualTo(received);
        }

        private void answer(int at, RawLog.Result result) {
            Open record = open.remove(at);
            if (result == RawLog.Result.DURABLE) {
                settled.addAll(record.seqs());
            }
            act(out -> machine.appended(record.append().pending(), result, now(), out));
        }

        private List<Effect> act(java.util.function.Consumer<List<Effect>> decision) {
            List<Effect> out = new ArrayList<>();
            decision.accept(out);
            for (Effect effect : List.copyOf(out)) {
                check(effect);
            }
            return out;
        }

        private void check(Effect effect) {
            boolean last = effect instanceof Effect.Report report
                    && report.report().getKind() == ReportKind.REPORT_DISCONNECTED;
            assertThat(ended && !last)
                    .as("seed %d: %s after the end", seed, effect)
                    .isFalse();
            if (effect instanceof Effect.Claim claim) {
                answerClaim();
            } else if (effect instanceof Effect.Append append) {
                if (append.kind() != RawKind.EPOCH_OPEN) {
                    appended.add(append.value());
                }
                open.add(new Open(append, new ArrayList<>()));
            } else if (effect instanceof Effect.SendAck ack) {
                checkAck(ack);
            } else if (effect instanceof Effect.Report report) {
                disconnects += last ? 1 : 0;
                assertThat(report.report().getAcked())
                        .as("seed %d: reported", seed)
                        .isLessThanOrEqualTo(contiguous());
                if (!last) {
                    openReports.add(report.report().getKind());
                }
            } else if (effect instanceof Effect.End || effect instanceof Effect.Close) {
                ended = true;
            }
        }

        private void checkAck(Effect.SendAck ack) {
            assertThat(ack.epoch()).isEqualTo(EPOCH);
            assertThat(ack.watermark()).as("seed %d: settled", seed).isLessThanOrEqualTo(contiguous());
            assertThat(ack.watermark()).as("seed %d: falls", seed).isGreaterThanOrEqualTo(acked);
            if (ack.throttleMs() == 0 || ack.watermark() > base) {
                assertThat(firstAppendDurable)
                        .as("seed %d: first append reported", seed)
                        .isTrue();
            }
            acked = ack.watermark();
        }

        private long contiguous() {
            long watermark = base;
            while (settled.contains(watermark + 1)) {
                watermark++;
            }
            return watermark;
        }

        private void answerClaim() {
            granted = true;
            act(out -> machine.claimAnswered(
                    SESSION,
                    EpochAnswer.newBuilder()
                            .setOutcome(ClaimOutcome.CLAIM_GRANTED)
                            .setEpoch((int) EPOCH)
                            .setVerdict(EpochVerdict.RESUMED)
                            .setWatermark(base)
                            .build(),
                    now(),
                    out));
        }
    }

    /** Everything is allowed. */
    private static final class Willing implements StartFacts {
        @Override
        public CredentialCheck credential(String token) {
            return new CredentialCheck.Holds(new Credential() {
                @Override
                public boolean speaksFor(SensorKey sensor) {
                    return true;
                }

                @Override
                public String reference() {
                    return "test";
                }
            });
        }

        @Override
        public boolean isControlDataLoaded() {
            return true;
        }

        @Override
        public CustomerStanding standing(String customerId) {
            return CustomerStanding.ACTIVE;
        }

        @Override
        public boolean isDraining() {
            return false;
        }

        @Override
        public Optional<String> movedTo(String customerId) {
            return Optional.empty();
        }

        @Override
        public Optional<Refusal> admission(SensorKey sensor) {
            return Optional.empty();
        }
    }
}
