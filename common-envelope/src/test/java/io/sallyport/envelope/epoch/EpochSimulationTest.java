package io.sallyport.envelope.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.SimulatedMachine.Disk;
import io.sallyport.envelope.epoch.SimulatedMachine.Session;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochInput;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random schedules of one identity: claims from several nodes, doubled and late inputs, lost answers and reports,
 * machines that are reset to a snapshot, and clones. The log and the raw topic are the ground truth that every answer is
 * held against.
 */
class EpochSimulationTest {
    private static final int STEPS = 400;

    static IntStream seeds() {
        return IntStream.range(0, 400);
    }

    /** One machine that is reset now and then; the authority lags, and reports come late or never. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepOneTimelineOfASensorThatIsReset(int seed) {
        new World(seed, Mode.RESETS).run();
    }

    /** Acknowledgements are reported long after a sensor has them, as they are in service. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldNeverTrimWhatIsNotInTheLog(int seed) {
        new World(seed, Mode.LATE_REPORTS).run();
    }

    /** Clones at the same time; the authority and the nodes are up to date. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldNeverGiveOneNumberToTwoMachines(int seed) {
        new World(seed, Mode.CLONES).run();
    }

    private enum Mode {
        RESETS,
        LATE_REPORTS,
        CLONES
    }

    private record Number(long epoch, long seq) {}

    private static final class World {
        private final String label;
        private final Random random;
        private final Mode mode;
        private final boolean clones;
        private final TestAuthority authority = new TestAuthority();
        private final CheckedGrants grants;
        private final Deque<EpochInput> log = new ArrayDeque<>();
        private final List<EpochInput> late = new ArrayList<>();
        private final List<SimulatedMachine> machines = new ArrayList<>();
        private final List<Disk> snapshots = new ArrayList<>();
        private final List<Session> open = new ArrayList<>();
        /** Every content that was appended under a number; with clones and resets it may be more than one. */
        private final Map<Number, Set<Long>> raw = new HashMap<>();
        /** The one content under a number that a machine was told to be safe. */
        private final Map<Number, Long> acknowledged = new HashMap<>();

        private long contents;
        private int claims;

        World(int seed, Mode mode) {
            this.label = "seed " + seed + " " + mode;
            this.random = new Random(seed * 31L + mode.ordinal());
            this.mode = mode;
            this.clones = mode == Mode.CLONES;
            this.grants = new CheckedGrants(label, authority);
            machines.add(new SimulatedMachine());
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                // Slow enough for takeovers to be granted most of the time, and fast enough for some to be slowed.
                authority.nowMs += random.nextInt(clones ? 20_000 : 40_000);
                step(machines.get(random.nextInt(machines.size())));
                if (clones) {
                    pump(Integer.MAX_VALUE);
                }
            }
            assertThat(grants.count()).as(label).isGreaterThan(5);
        }

        private void step(SimulatedMachine machine) {
            switch (random.nextInt(12)) {
                case 0, 1 -> start(machine);
                case 2, 3 -> pump(1 + random.nextInt(4));
                case 4, 5 -> accept(machine);
                case 6 -> produce(machine);
                case 7, 8 -> send(machine);
                case 9 -> disconnect();
                case 10 -> snapshotOrReset(machine);
                default -> disturb();
            }
        }

        private void start(SimulatedMachine machine) {
            if (machine.session != null || machine.asking != null) {
                return;
            }
            int node = random.nextInt(3);
            // A node may lag behind the table, and clocks differ.
            long known = clones || random.nextInt(3) > 0
                    ? authority.state.map(EpochState::getNewestSessionId).orElse(0L)
                    : 0;
            long clockMs = authority.nowMs + random.nextInt(2_000) - 1_000;
            long sessionId = SessionId.mint(clockMs, node, random.nextInt(256), known, machine.disk.lastSessionId);
            var claim = EpochClaim.newBuilder()
                    .setClaimId("c" + ++claims)
                    .setSessionId(sessionId)
                    .setNode(node)
                    .setWatermark(machine.disk.watermark)
                    .setNextSeq(machine.disk.nextSeq)
                    .setLastSessionId(machine.disk.lastSessionId);
            if (machine.disk.epoch != null) {
                claim.setPresentedEpoch(machine.disk.epoch.intValue());
            }
            machine.asking = claim.build();
            log(EpochInput.newBuilder().setClaim(claim).build());
        }

        /** The authority handles the next inputs of the log, and the nodes see its table. */
        private void pump(int inputs) {
            for (int i = 0; i < inputs && !log.isEmpty(); i++) {
                EpochInput input = log.removeFirst();
                if (input.hasClaim()) {
                    grants.decide(input.getClaim());
                } else {
                    grants.report(input.getReport());
                }
            }
            if (clones || random.nextInt(3) == 0) {
                supersede();
            }
        }

        /** The answer reaches the machine, or gets lost on the way. */
        private void accept(SimulatedMachine machine) {
            EpochClaim asked = machine.asking;
            EpochAnswer answer = asked == null ? null : grants.answer(asked);
            if (asked == null || answer == null) {
                if (random.nextInt(4) == 0) {
                    machine.asking = null; // the claim timed out
                }
                return;
            }
            machine.asking = null;
            if (answer.getOutcome() != ClaimOutcome.CLAIM_GRANTED) {
                return;
            }
            var session = new Session(
                    asked.getSessionId(),
                    asked.getNode(),
                    Integer.toUnsignedLong(answer.getEpoch()),
                    machine,
                    answer.getWatermark());
            open.add(session);
            if (random.nextInt(5) == 0) {
                return; // ACCEPT is lost; the node does not know yet
            }
            machine.session = session;
            machine.reset = false;
            Disk disk = machine.disk;
            if (answer.getVerdict() == EpochVerdict.RESUMED) {
                trim(machine, answer.getWatermark());
            } else {
                if (disk.epoch != null) {
                    trim(machine, answer.getPresentedEpochWatermark());
                }
                renumber(disk, session.epoch);
            }
        }

        private static void renumber(Disk disk, long epoch) {
            var contents = new ArrayList<>(disk.spool.values());
            disk.spool.clear();
            disk.epoch = epoch;
            disk.nextSeq = 1;
            disk.watermark = 0;
            contents.forEach(content -> disk.spool.put(disk.nextSeq++, content));
        }

        /**
         * A machine that is reset within its last session connects before it makes more events than were acknowledged
         * since the snapshot: afterwards nothing that it presents tells it from one that missed some ACKs.
         */
        private void produce(SimulatedMachine machine) {
            if (machine.reset) {
                return;
            }
            for (int i = random.nextInt(4); i >= 0; i--) {
                machine.disk.spool.put(machine.disk.nextSeq++, ++contents);
            }
        }

        /** A batch: appended, its first append reported, acknowledged, the ACK read; each step may be the last. */
        private void send(SimulatedMachine machine) {
            Session session = machine.session;
            Disk disk = machine.disk;
            if (session == null || disk.spool.isEmpty()) {
                return;
            }
            disk.lastSessionId = session.id;
            if (random.nextInt(8) == 0) {
                snapshots.add(disk.copy());
            }
            int count = 1 + random.nextInt(disk.spool.size());
            disk.spool.entrySet().stream().limit(count).forEach(event -> {
                raw.computeIfAbsent(new Number(session.epoch, event.getKey()), number -> new HashSet<>())
                        .add(event.getValue());
                session.durable.add(event.getKey());
            });
            if (!session.appendReported) {
                if (!clones && random.nextInt(6) == 0) {
                    return; // the report is not durable yet, so there is no ACK yet
                }
                session.appendReported = true;
                report(session, ReportKind.REPORT_FIRST_APPEND);
            }
            while (session.durable.contains(session.acked + 1)) {
                session.acked++;
            }
            if (mode != Mode.LATE_REPORTS || random.nextInt(4) == 0) {
                report(session, ReportKind.REPORT_ACKED);
            }
            if (random.nextInt(6) > 0) {
                trim(machine, session.acked);
            }
        }

        /**
         * What a sensor throws away is in the log with the same content. Where acknowledgements are reported at once, no
         * other content was ever acknowledged under its number either.
         */
        private void trim(SimulatedMachine machine, long watermark) {
            Disk disk = machine.disk;
            disk.watermark = Math.max(disk.watermark, watermark);
            var done = disk.spool.headMap(watermark, true);
            done.forEach((seq, content) -> {
                var number = new Number(disk.epoch, seq);
                assertThat(raw.getOrDefault(number, Set.of()))
                        .as("%s: %s was trimmed and is not in the log", label, number)
                        .contains(content);
                assertThat(mode == Mode.LATE_REPORTS ? null : acknowledged.putIfAbsent(number, content))
                        .as("%s: %s was acknowledged for two contents", label, number)
                        .isIn(null, content);
            });
            done.clear();
        }

        /** A node notices that a connection is gone; its report may come much later, or never. */
        private void disconnect() {
            if (!open.isEmpty()) {
                end(open.get(random.nextInt(open.size())));
            }
        }

        private void end(Session session) {
            open.remove(session);
            if (session.machine.session == session) {
                session.machine.session = null;
            }
            int fate = random.nextInt(4);
            SessionReport report = reportOf(session, ReportKind.REPORT_DISCONNECTED);
            if (fate == 0) {
                late.add(EpochInput.newBuilder().setReport(report).build());
            } else if (fate < 3) {
                log(EpochInput.newBuilder().setReport(report).build());
            }
        }

        /** Sessions end that see a newer one in the table. */
        private void supersede() {
            long newest = authority.state.map(EpochState::getNewestSessionId).orElse(0L);
            for (Session session : List.copyOf(open)) {
                if (SessionId.isNewer(newest, session.id)) {
                    end(session);
                }
            }
        }

        private void snapshotOrReset(SimulatedMachine machine) {
            if (snapshots.isEmpty() || random.nextBoolean()) {
                snapshots.add(machine.disk.copy());
                return;
            }
            Disk disk = snapshots.get(random.nextInt(snapshots.size())).copy();
            if (clones && machines.size() < 3) {
                var clone = new SimulatedMachine();
                clone.disk = disk;
                clone.reset = true;
                machines.add(clone);
            } else {
                machine.disk = disk;
                machine.reset = true;
                machine.session = null;
                machine.asking = null;
            }
        }

        /** Inputs come late or twice. */
        private void disturb() {
            if (!late.isEmpty() && random.nextBoolean()) {
                log(late.remove(random.nextInt(late.size())));
            } else if (!log.isEmpty()) {
                log(log.peekFirst());
            }
        }

        private void report(Session session, ReportKind kind) {
            log(EpochInput.newBuilder().setReport(reportOf(session, kind)).build());
        }

        private SessionReport reportOf(Session session, ReportKind kind) {
            return SessionReport.newBuilder()
                    .setKind(kind)
                    .setSessionId(session.id)
                    .setNode(session.node)
                    .setEpoch((int) session.epoch)
                    .setAcked(session.acked)
                    .build();
        }

        private void log(EpochInput input) {
            log.addLast(input);
        }
    }
}
