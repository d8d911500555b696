package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.EpochRules;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochInput;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One sensor, three nodes that decide ordinary resumes by replicas which are behind, and an authority that is away for
 * long stretches. The log of claims is the only thing that all of them share.
 */
class LocalResumeSimulationTest {
    private static final int STEPS = 300;

    static IntStream seeds() {
        return IntStream.range(0, 1_000);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldNeverTakeAnHonestSensorForARestoredOne(int seed) {
        var world = new World(seed, false);
        world.run();
        assertThat(world.state().getReused()).as("seed %d", seed).isFalse();
        assertThat(world.rollbacks).as("seed %d", seed).isZero();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldEndAnEpochInWhichANumberWasAcknowledgedTwice(int seed) {
        var world = new World(seed, true);
        world.run();
        for (Map.Entry<Number, Set<Integer>> used : world.acknowledged.entrySet()) {
            long epoch = used.getKey().epoch();
            if (used.getValue().size() > 1 && epoch == EpochRules.epoch(world.state())) {
                assertThat(world.state().getReused())
                        .as("seed %d: %s has contents %s", seed, used.getKey(), used.getValue())
                        .isTrue();
            }
        }
    }

    private record Number(long epoch, long seq) {}

    /** What the sensor keeps. {@code events} are the contents that it numbered in this epoch. */
    private record Disk(long epoch, long nextSeq, long watermark, long lastSession, Map<Long, Integer> events) {}

    private static final class Session {
        final int node;
        final long id;
        final long epoch;
        long acked;
        boolean appended;

        Session(int node, long id, EpochAnswer answer) {
            this.node = node;
            this.id = id;
            this.epoch = Integer.toUnsignedLong(answer.getEpoch());
            this.acked = answer.getWatermark();
        }
    }

    private static final class World {
        private final Random random;
        private final int seed;
        private final boolean resets;
        private final List<EpochInput> log = new ArrayList<>();
        private final List<EpochState> table = new ArrayList<>();
        private final KnownEpoch[] views = {KnownEpoch.NOTHING, KnownEpoch.NOTHING, KnownEpoch.NOTHING};
        private final int[] read = new int[3];
        private final List<Session> live = new ArrayList<>();
        private final Map<String, EpochAnswer> answers = new HashMap<>();
        final Map<Number, Set<Integer>> acknowledged = new HashMap<>();
        int rollbacks;
        private int processed;
        private long clockMs = 1_000_000;
        private int counter;
        private int contents;
        private Disk disk = new Disk(0, 1, 0, 0, Map.of());
        private Disk snapshot = disk;
        private Session current;

        World(int seed, boolean resets) {
            this.seed = seed;
            this.resets = resets;
            this.random = new Random(seed);
        }

        EpochState state() {
            return table.isEmpty() ? EpochState.getDefaultInstance() : table.get(table.size() - 1);
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                clockMs += random.nextInt(3_000);
                switch (random.nextInt(resets ? 9 : 7)) {
                    case 0, 1 -> connect();
                    case 2, 3 -> send();
                    case 4 -> authority(random.nextInt(6));
                    case 5 -> readTable(random.nextInt(3));
                    case 6 -> {
                        if (!live.isEmpty()) {
                            end(live.get(random.nextInt(live.size())));
                        }
                    }
                    case 7 -> snapshot = disk;
                    default -> {
                        current = null;
                        disk = snapshot;
                    }
                }
            }
            settle();
        }

        /** Everything that was said is heard: what is left of two sessions is one, in the epoch of the authority. */
        private void settle() {
            do {
                authority(Integer.MAX_VALUE);
                for (int node = 0; node < views.length; node++) {
                    readTable(node);
                }
            } while (processed < log.size());
            assertThat(live).as("seed %d", seed).hasSizeLessThanOrEqualTo(1);
            live.forEach(
                    session -> assertThat(session.epoch).as("seed %d", seed).isEqualTo(EpochRules.epoch(state())));
        }

        private void connect() {
            int node = random.nextInt(views.length);
            current = null;
            long id = SessionId.mint(clockMs, node, counter++, views[node].newestSessionId(), disk.lastSession());
            EpochClaim.Builder claim = EpochClaim.newBuilder()
                    .setClaimId("c" + counter)
                    .setSessionId(id)
                    .setNode(node)
                    .setWatermark(disk.watermark())
                    .setNextSeq(disk.nextSeq())
                    .setLastSessionId(disk.lastSession());
            if (disk.epoch() != 0) {
                claim.setPresentedEpoch((int) disk.epoch());
            }
            EpochClaim asked = claim.build();
            Optional<KnownEpoch.Resume> resume = views[node].resume(asked);
            EpochAnswer answer;
            if (resume.isPresent()) {
                views[node] = resume.get().known();
                answer = resume.get().answer();
                report(node, KnownEpoch.report(asked, answer));
            } else {
                log.add(EpochInput.newBuilder().setClaim(asked).build());
                if (random.nextInt(3) == 0) {
                    return;
                }
                authority(Integer.MAX_VALUE);
                answer = answers.get(asked.getClaimId());
                views[node] = views[node].merge(KnownEpoch.of(answer, asked));
                if (answer.getOutcome() != ClaimOutcome.CLAIM_GRANTED) {
                    return;
                }
            }
            open(node, id, answer);
        }

        private void open(int node, long id, EpochAnswer answer) {
            switch (answer.getVerdict()) {
                case RESUMED -> {}
                case NEW_EPOCH_FIRST -> {}
                default -> rollbacks++;
            }
            var session = new Session(node, id, answer);
            live.stream().filter(older -> older.node == node).toList().forEach(this::end);
            live.add(session);
            current = session;
            boolean sameEpoch = session.epoch == disk.epoch();
            disk = new Disk(
                    session.epoch,
                    sameEpoch ? disk.nextSeq() : 1,
                    sameEpoch ? answer.getWatermark() : 0,
                    disk.lastSession(),
                    sameEpoch ? disk.events() : Map.of());
            lookAtView(node);
        }

        /** Numbers, appends and acknowledges a few events; the sensor may not hear of it. */
        private void send() {
            if (current == null || !live.contains(current)) {
                return;
            }
            Session session = current;
            long last = disk.nextSeq() + random.nextInt(4);
            var events = new HashMap<>(disk.events());
            for (long seq = disk.nextSeq(); seq <= last; seq++) {
                events.put(seq, ++contents);
            }
            disk = new Disk(disk.epoch(), last + 1, disk.watermark(), session.id, events);
            if (!session.appended) {
                session.appended = true;
                report(session, ReportKind.REPORT_FIRST_APPEND);
            }
            for (long seq = session.acked + 1; seq <= last; seq++) {
                acknowledged
                        .computeIfAbsent(new Number(session.epoch, seq), number -> new HashSet<>())
                        .add(events.get(seq));
            }
            session.acked = last;
            if (random.nextInt(3) == 0) {
                report(session, ReportKind.REPORT_ACKED);
            }
            if (random.nextBoolean()) {
                disk = new Disk(disk.epoch(), disk.nextSeq(), last, disk.lastSession(), events);
            }
        }

        private void end(Session session) {
            if (live.remove(session)) {
                report(session, ReportKind.REPORT_DISCONNECTED);
            }
        }

        private void report(Session session, ReportKind kind) {
            report(
                    session.node,
                    SessionReport.newBuilder()
                            .setKind(kind)
                            .setSessionId(session.id)
                            .setNode(session.node)
                            .setEpoch((int) session.epoch)
                            .setAcked(session.acked)
                            .build());
        }

        private void report(int node, SessionReport report) {
            log.add(EpochInput.newBuilder().setReport(report).build());
            views[node] = views[node].merge(KnownEpoch.of(report));
        }

        private void authority(int inputs) {
            for (int i = 0; i < inputs && processed < log.size(); i++) {
                EpochInput input = log.get(processed++);
                Optional<EpochState> known = table.isEmpty() ? Optional.empty() : Optional.of(state());
                if (input.hasClaim()) {
                    var decision = EpochRules.decide(known, input.getClaim(), clockMs);
                    answers.put(input.getClaim().getClaimId(), decision.answer());
                    table.add(decision.state());
                } else {
                    table.add(
                            EpochRules.apply(known, input.getReport(), clockMs).state());
                }
            }
        }

        private void readTable(int node) {
            while (read[node] < table.size()) {
                views[node] = views[node].merge(KnownEpoch.of(table.get(read[node]++)));
            }
            lookAtView(node);
        }

        /** A session ends when its node hears of a newer one, or that its epoch is closed. */
        private void lookAtView(int node) {
            live.stream()
                    .filter(session -> session.node == node)
                    .filter(session -> SessionId.isNewer(views[node].newestSessionId(), session.id)
                            || views[node].openEpoch() > session.epoch)
                    .toList()
                    .forEach(this::end);
        }
    }
}
