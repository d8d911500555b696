package io.sallyport.router.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One sensor through random schedules: publishes, repeated and reordered entries, sessions, lost and repeated answers,
 * missing bodies, dead nodes, cancellations, time, and crashes that undo decisions whose pushes are already on their way.
 */
class QueueScheduleTest {
    private static final int STEPS = 400;
    private static final int CAP = 12;
    private static final Set<TargetState> FINAL = Set.of(
            TargetState.ACKED,
            TargetState.NACKED,
            TargetState.EXPIRED,
            TargetState.SUPERSEDED_BY_NEWER,
            TargetState.EVICTED,
            TargetState.CANCELLED,
            TargetState.REJECTED);

    static Stream<Long> seeds() {
        return LongStream.rangeClosed(1, 400).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepItsPromises(long seed) {
        try {
            new Schedule(seed).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static final class Schedule {
        private final Random random;
        /** Entries out of order and undone decisions together are more than fan-out and Kafka can do. */
        private final boolean crashes;

        private final QueueBench queue = new QueueBench("s-sim", Entries.capOf(CAP));
        private final SimulatedSensor sensor;
        private final Map<String, QueueEntry> published = new HashMap<>();
        private final List<QueueEntry> unread = new ArrayList<>();
        private final List<QueueEntry> read = new ArrayList<>();
        private final List<QueueEvent> sinceCommit = new ArrayList<>();
        private final Map<String, TargetState> finals = new HashMap<>();
        private Saved committed;
        private long revision;
        private int sessions;

        private record Saved(
                SensorState state,
                Map<String, Settled> settled,
                Map<String, TargetStatus> told,
                Map<String, EnumMap<TargetState, Integer>> counts,
                Map<String, TargetState> finals) {}

        Schedule(long seed) {
            random = new Random(seed);
            crashes = seed % 2 == 0;
            sensor = new SimulatedSensor(random, queue);
            committed = saved();
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(12)) {
                    case 0, 1 -> publish();
                    case 2, 3 -> readEntry();
                    case 4 -> repeatEntry();
                    case 5 -> session();
                    case 6, 7 -> sensor.deliver(queue.nowUs);
                    case 8 -> answer();
                    case 9 -> cancel();
                    case 10 -> pass();
                    default -> trouble();
                }
            }
            settle();
        }

        private void publish() {
            MessageType type = MessageType.forNumber(1 + random.nextInt(4));
            String msgId = "m-" + ++revision;
            QueueEntry entry = Entries.entry(msgId, revision, type)
                    .setSensorId(queue.sensor.sensorId())
                    .setPriority(random.nextInt(3))
                    .setCoalesceKey(type == MessageType.SENSOR_UPDATE ? "v" + random.nextInt(3) : "")
                    .setAcceptedAtUs(queue.nowUs)
                    .setExpiresAtUs(queue.nowUs + Entries.us(java.time.Duration.ofSeconds(20 + random.nextInt(2_000))))
                    .setDeliverAtUs(
                            type != MessageType.RESPONSE_ACTION && random.nextInt(4) == 0
                                    ? queue.nowUs + random.nextInt(10_000_000)
                                    : 0)
                    .build();
            published.put(msgId, entry);
            unread.add(entry);
            if (random.nextInt(5) == 0) {
                queue.missingBodies.add(msgId);
            }
        }

        private void readEntry() {
            if (!unread.isEmpty()) {
                boolean late = !crashes && random.nextInt(6) == 0;
                QueueEntry entry = unread.remove(late ? random.nextInt(unread.size()) : 0);
                read.add(entry);
                apply(new QueueEvent.Entered(entry));
            }
        }

        private void repeatEntry() {
            if (!read.isEmpty()) {
                apply(new QueueEvent.Entered(read.get(random.nextInt(read.size()))));
            }
        }

        private void session() {
            if (sensor.connected && random.nextInt(3) > 0) {
                sensor.connected = false;
                apply(new QueueEvent.SessionChanged(Entries.disconnected(sensor.sessionId)));
            } else {
                long before = sensor.sessionId;
                long next = SessionId.of(queue.nowUs / 1_000 + ++sessions, random.nextInt(3), 0);
                sensor.start(next);
                apply(new QueueEvent.SessionChanged(Entries.connected(next)));
                if (before != 0 && random.nextBoolean()) {
                    apply(new QueueEvent.SessionChanged(Entries.disconnected(before)));
                }
            }
        }

        private void answer() {
            if (!sensor.answers.isEmpty()) {
                apply(new QueueEvent.Answered(sensor.answers.remove(0)));
            } else if (random.nextInt(4) == 0) {
                apply(new QueueEvent.Answered(Entries.acked("no-such").toBuilder()
                        .setSensorId(queue.sensor.sensorId())
                        .build()));
            }
        }

        private void cancel() {
            if (!read.isEmpty() && random.nextInt(3) == 0) {
                QueueEntry entry = read.get(random.nextInt(read.size()));
                apply(new QueueEvent.Entered(
                        entry.toBuilder().setCancelRevision(++revision).build()));
            }
        }

        private void pass() {
            // A transaction is over long before a push is repeated.
            commit();
            queue.nowUs += random.nextInt(5) == 0 ? random.nextInt(120_000_000) : random.nextInt(3_000_000);
            dueIfTime();
        }

        private void trouble() {
            switch (random.nextInt(4)) {
                case 0 -> queue.nodeAlive = !queue.nodeAlive;
                case 1 -> {
                    queue.missingBodies.clear();
                    apply(new QueueEvent.Due());
                }
                case 2 -> commit();
                default -> {
                    if (crashes) {
                        crash();
                    }
                }
            }
        }

        private void dueIfTime() {
            if (queue.state.dueUs() <= queue.nowUs) {
                apply(new QueueEvent.Due());
                assertThat(queue.state.dueUs()).as("a look leaves nothing due").isGreaterThan(queue.nowUs);
            }
        }

        private void apply(QueueEvent event) {
            sinceCommit.add(event);
            int before = queue.pushes.size();
            queue.apply(event);
            List<Effect.Push> sent = queue.pushes.subList(before, queue.pushes.size());
            sent.forEach(this::checkPush);
            sensor.wire.addAll(sent);
            check();
        }

        private void commit() {
            committed = saved();
            sinceCommit.clear();
        }

        /** The transaction is undone, what it pushed is not; its input is read again. */
        private void crash() {
            restore();
            List<QueueEvent> again = List.copyOf(sinceCommit);
            sinceCommit.clear();
            for (QueueEvent event : again) {
                apply(event);
            }
        }

        private void checkPush(Effect.Push push) {
            QueueEntry message = push.entry().message();
            assertThat(queue.nodeAlive).isTrue();
            assertThat(queue.state.session()).contains(push.session());
            assertThat(push.session().connected()).isTrue();
            assertThat(message.getExpiresAtUs()).isGreaterThan(queue.nowUs);
            assertThat(message.getDeliverAtUs()).isLessThanOrEqualTo(queue.nowUs);
            assertThat(queue.missingBodies).doesNotContain(message.getMsgId());
        }

        private void check() {
            assertThat(queue.state.open()).hasSizeLessThanOrEqualTo(CAP).isSortedAccordingTo(Turn.DELIVERY);
            assertThat(queue.open()).doesNotHaveDuplicates();
            assertThat(queue.open()).noneMatch(queue.settled::containsKey);
            for (Entry entry : queue.state.open()) {
                assertThat(queue.stateOf(entry.msgId())).isEqualTo(entry.state());
                assertThat(entry.message().getExpiresAtUs()).isGreaterThan(queue.nowUs);
            }
            for (Settled settled : queue.settled.values()) {
                TargetState state = settled.status().getState();
                assertThat(FINAL).contains(state);
                assertThat(finals.putIfAbsent(settled.msgId(), state)).isIn(null, state);
                assertThat(queue.told.get(settled.msgId())).isEqualTo(settled.status());
            }
            checkCounts();
            checkOrder();
        }

        /** Each target that was taken over is counted once, in the state it is in. */
        private void checkCounts() {
            for (String msgId : queue.told.keySet()) {
                Map<TargetState, Integer> counts = new HashMap<>(queue.counts.get(msgId));
                counts.values().removeIf(count -> count == 0);
                assertThat(counts).isEqualTo(Map.of(queue.stateOf(msgId), 1));
            }
        }

        private void checkOrder() {
            var newest = new HashMap<Integer, Long>();
            for (Effect.Push push : sensor.received) {
                long sent = push.entry().message().getRevision();
                Long before = newest.put(push.entry().message().getType(), sent);
                assertThat(before == null || before < sent)
                        .as(
                                "%s arrived behind a newer one of its type",
                                push.entry().msgId())
                        .isTrue();
            }
        }

        /** From here on nothing goes wrong any more: everything comes to an end. */
        private void settle() {
            sensor.reliable = true;
            sensor.lossless = true;
            queue.nodeAlive = true;
            queue.missingBodies.clear();
            while (!unread.isEmpty()) {
                readEntry();
            }
            long last = SessionId.of(queue.nowUs / 1_000 + ++sessions, 1, 0);
            sensor.start(last);
            apply(new QueueEvent.SessionChanged(Entries.connected(last)));
            for (int round = 0; round < 1_000 && !queue.state.open().isEmpty(); round++) {
                while (!sensor.wire.isEmpty()) {
                    sensor.deliver(queue.nowUs);
                }
                while (!sensor.answers.isEmpty()) {
                    answer();
                }
                queue.nowUs += 1_000_000;
                dueIfTime();
            }
            assertThat(queue.state.open()).isEmpty();
            for (QueueEntry entry : published.values()) {
                checkEnd(entry);
            }
        }

        private void checkEnd(QueueEntry entry) {
            TargetState end = queue.stateOf(entry.getMsgId());
            assertThat(FINAL).contains(end);
            boolean reached = sensor.outcomes.containsKey(entry.getMsgId());
            if (end == TargetState.ACKED || end == TargetState.NACKED) {
                assertThat(reached).isTrue();
            }
            if (end == TargetState.REJECTED && !queue.told.get(entry.getMsgId()).getLateAck() && !crashes) {
                assertThat(reached).isFalse();
            }
            if (entry.getType() == MessageType.RESPONSE_ACTION_VALUE) {
                assertThat(end).isNotIn(TargetState.EVICTED, TargetState.SUPERSEDED_BY_NEWER);
            }
            if (end == TargetState.EVICTED) {
                assertThat(queue.markers).anyMatch(marker -> marker.message().equals(entry));
            }
        }

        private Saved saved() {
            return new Saved(
                    queue.state,
                    new HashMap<>(queue.settled),
                    new HashMap<>(queue.told),
                    copy(queue.counts),
                    new HashMap<>(finals));
        }

        private void restore() {
            queue.state = committed.state();
            replace(queue.settled, committed.settled());
            replace(queue.told, committed.told());
            replace(queue.counts, copy(committed.counts()));
            replace(finals, committed.finals());
        }

        private static <V> void replace(Map<String, V> map, Map<String, V> with) {
            map.clear();
            map.putAll(with);
        }

        private static Map<String, EnumMap<TargetState, Integer>> copy(
                Map<String, EnumMap<TargetState, Integer>> counts) {
            var copy = new HashMap<String, EnumMap<TargetState, Integer>>();
            counts.forEach((msgId, states) -> copy.put(msgId, new EnumMap<>(states)));
            return copy;
        }
    }
}
