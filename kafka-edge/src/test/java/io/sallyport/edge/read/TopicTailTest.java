package io.sallyport.edge.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A tail whose brokers lose what it asks, and whose sink fails. */
class TopicTailTest {
    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
    private static final long SECONDS = 30;

    /** Answers to the next questions for the end: thrown, where they are failures. After them all are answered. */
    private final Queue<RuntimeException> lost = new ConcurrentLinkedQueue<>();

    /** Thrown by the next polls. */
    private final Queue<RuntimeException> broken = new ConcurrentLinkedQueue<>();

    private final AtomicLong questions = new AtomicLong();
    private volatile boolean held;
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final List<String> applied = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final AtomicReference<Runnable> beforeApply = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> onFailure = new AtomicReference<>(() -> {});
    private final TopicTail tail = new TopicTail(
            TailSource.of("nowhere:1", "tail-test", List.of(PARTITION.topic())).quick(),
            (records, next) -> {
                beforeApply.get().run();
                records.forEach(record -> applied.add(new String(record.value(), StandardCharsets.UTF_8)));
            },
            failure -> {
                failures.add(failure);
                onFailure.get().run();
            },
            Client::new);

    /** A client of a log that is a list. */
    private final class Client extends MockConsumer<byte[], byte[]> {
        Client() {
            super("earliest");
            updatePartitions(
                    PARTITION.topic(),
                    List.of(new PartitionInfo(PARTITION.topic(), 0, Node.noNode(), new Node[0], new Node[0])));
            updateBeginningOffsets(Map.of(PARTITION, 0L));
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration atMost) {
            if (Thread.interrupted()) {
                throw new InterruptException("poll");
            }
            boolean gives = !held;
            RuntimeException failure = broken.poll();
            if (failure != null) {
                throw failure;
            }
            LockSupport.parkNanos(1_000_000);
            for (long offset = position(PARTITION); gives && offset < log.size(); offset++) {
                addRecord(new ConsumerRecord<>(
                        PARTITION.topic(),
                        0,
                        offset,
                        new byte[0],
                        log.get((int) offset).getBytes(StandardCharsets.UTF_8)));
            }
            return super.poll(Duration.ZERO);
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration atMost) {
            return endOffsets(partitions);
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
            RuntimeException failure = lost.poll();
            if (failure != null) {
                throw failure;
            }
            questions.incrementAndGet();
            return Map.of(PARTITION, (long) log.size());
        }
    }

    @AfterEach
    void close() {
        tail.close();
        assertThat(tail.isHealthy()).as("after its end").isFalse();
    }

    private void caughtUp() throws Exception {
        tail.catchUp().get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shouldGoOnWhereItWasAfterARequestThatWasLost() throws Exception {
        log.add("a");
        tail.start();
        caughtUp();
        assertThat(tail.isHealthy()).isTrue();

        onFailure.set(() -> log.add("b"));
        lost.add(new TimeoutException("lost"));
        caughtUp();

        assertThat(failures).singleElement().isInstanceOf(TimeoutException.class);
        assertThat(applied).containsExactly("a", "b");
        assertThat(tail.isHealthy()).isTrue();
    }

    @Test
    void shouldLookAgainAfterALookThatWasLost() throws Exception {
        tail.keepLooking();
        tail.start();
        tail.loaded().get(SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < 3; i++) {
            lost.add(new TimeoutException("lost"));
        }

        long beforeNanos = System.nanoTime();
        await().until(() ->
                lost.isEmpty() && tail.behindMs() < TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beforeNanos));

        assertThat(failures).as("a look that is lost costs the next one alone").isEmpty();
    }

    /** It waits for something that comes, and meanwhile the client fails for good. */
    @Test
    void shouldGoOnForWhoWaitsAfterAFailure() throws Exception {
        tail.start();
        caughtUp();
        held = true;
        // The poll that was under way is over.
        caughtUp();
        log.add("a");
        long before = questions.get();
        var reached = tail.catchUp();
        await().until(() -> questions.get() > before);

        broken.add(new KafkaException("broken"));
        held = false;
        reached.get(SECONDS, TimeUnit.SECONDS);

        assertThat(failures).hasSize(1);
        assertThat(applied).containsExactly("a");
    }

    @Test
    void shouldNotBeHealthyAfterAnErrorBeforeItHasReadOn() throws Exception {
        var healthyMeanwhile = new ArrayList<Boolean>();
        Queue<Throwable> errors = new ArrayDeque<>(List.of(new StackOverflowError(), new LinkageError()));
        log.add("a");
        tail.start();
        caughtUp();
        beforeApply.set(() -> {
            healthyMeanwhile.add(tail.isHealthy());
            if (errors.poll() instanceof Error error) {
                throw error;
            }
        });
        onFailure.set(() -> healthyMeanwhile.add(tail.isHealthy()));

        log.add("b");
        caughtUp();

        assertThat(failures).hasExactlyElementsOfTypes(StackOverflowError.class, LinkageError.class);
        assertThat(healthyMeanwhile)
                .as("apply, failure, apply, failure, apply")
                .containsExactly(true, false, false, false, false);
        assertThat(applied).containsExactly("a", "b");
        assertThat(tail.isHealthy()).isTrue();
    }

    @Test
    void shouldNotBeHealthyAfterItsThreadWasInterrupted() throws Exception {
        tail.start();
        caughtUp();
        beforeApply.set(() -> Thread.currentThread().interrupt());
        log.add("a");

        await().until(() -> !tail.isHealthy());

        assertThat(failures).isEmpty();
    }
}
