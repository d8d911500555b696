package io.sallyport.router.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Actions of one sensor, in any order of arrival, between sessions that come and go and answers that are lost: none is
 * coalesced, the sensor never has an older one last, and one that is not done is refused aloud.
 */
class ResponseActionScheduleTest {
    private static final int ACTIONS = 12;

    static Stream<Long> seeds() {
        return LongStream.rangeClosed(1, 300).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldDoEveryActionInOrderOrRefuseItAloud(long seed) {
        var run = new Run(seed, true);
        run.all();

        var atTheSensor = run.revisionsReceived();
        assertThat(atTheSensor).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
        int refused = 0;
        for (QueueEntry action : run.published) {
            TargetState end = run.queue.stateOf(action.getMsgId());
            if (atTheSensor.contains(action.getRevision())) {
                assertThat(end).as("seed %d, %s", seed, action.getMsgId()).isEqualTo(TargetState.ACKED);
            } else {
                refused++;
                assertThat(end).as("seed %d, %s", seed, action.getMsgId()).isEqualTo(TargetState.REJECTED);
                assertThat(run.queue.told.get(action.getMsgId()).getDetail()).isEqualTo(Admission.NEWER_DELIVERED);
                assertThat(run.newestPushedAtArrival.get(action.getMsgId()))
                        .as("seed %d: nothing newer than %s was sent when it came", seed, action.getMsgId())
                        .isGreaterThan(action.getRevision());
            }
        }
        assertThat(run.queue.alerts).isEqualTo(Collections.nCopies(refused, AlertKind.OVERTAKEN));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldRefuseNoneThatComesInOrder(long seed) {
        var run = new Run(seed, false);
        run.all();

        assertThat(run.revisionsReceived())
                .as("seed %d", seed)
                .isEqualTo(LongStream.rangeClosed(1, ACTIONS).boxed().toList());
        assertThat(run.queue.alerts).isEmpty();
    }

    private static final class Run {
        private final Random random;
        private final boolean reordered;
        private final QueueBench queue = new QueueBench("s-actions", Entries.LIMITS);
        private final SimulatedSensor sensor;
        private final List<QueueEntry> published = new ArrayList<>();
        private final Map<String, Long> newestPushedAtArrival = new HashMap<>();
        private int sessions;

        Run(long seed, boolean reordered) {
            this.random = new Random(seed);
            this.reordered = reordered;
            this.sensor = new SimulatedSensor(random, queue);
            sensor.reliable = true;
            for (int revision = 1; revision <= ACTIONS; revision++) {
                published.add(Entries.entry("a-" + revision, revision, MessageType.RESPONSE_ACTION)
                        .setSensorId(queue.sensor.sensorId())
                        .build());
            }
        }

        void all() {
            var unread = new ArrayList<>(published);
            while (!unread.isEmpty()) {
                switch (random.nextInt(6)) {
                    case 0 -> session();
                    case 1 -> sensor.deliver(queue.nowUs);
                    case 2 -> answer();
                    case 3 -> pass();
                    default -> arrive(unread.remove(reordered ? random.nextInt(Math.min(4, unread.size())) : 0));
                }
            }
            queue.missingBodies.clear();
            session();
            while (!queue.state.open().isEmpty()) {
                while (!sensor.wire.isEmpty()) {
                    sensor.deliver(queue.nowUs);
                }
                while (!sensor.answers.isEmpty()) {
                    answer();
                }
                pass();
            }
        }

        List<Long> revisionsReceived() {
            return sensor.received.stream()
                    .map(push -> push.entry().message().getRevision())
                    .toList();
        }

        private void arrive(QueueEntry action) {
            if (random.nextInt(4) == 0) {
                queue.missingBodies.add(action.getMsgId());
            }
            newestPushedAtArrival.put(
                    action.getMsgId(),
                    queue.pushes.stream()
                            .mapToLong(push -> push.entry().message().getRevision())
                            .max()
                            .orElse(0));
            apply(new QueueEvent.Entered(action));
        }

        private void session() {
            long next = SessionId.of(queue.nowUs / 1_000 + ++sessions, random.nextInt(3), 0);
            sensor.start(next);
            apply(new QueueEvent.SessionChanged(Entries.connected(next)));
        }

        private void answer() {
            if (!sensor.answers.isEmpty()) {
                apply(new QueueEvent.Answered(sensor.answers.remove(0)));
            }
        }

        private void pass() {
            queue.nowUs += random.nextInt(40_000_000);
            queue.missingBodies.removeIf(msgId -> random.nextBoolean());
            apply(new QueueEvent.Due());
        }

        private void apply(QueueEvent event) {
            int before = queue.pushes.size();
            queue.apply(event);
            sensor.wire.addAll(queue.pushes.subList(before, queue.pushes.size()));
        }
    }
}
