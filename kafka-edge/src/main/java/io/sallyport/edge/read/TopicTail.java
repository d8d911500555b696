package io.sallyport.edge.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads topics on a daemon thread of its own, without a group: to their end first, and then on as they grow. After a failure
 * the reading starts again where it was, so that a passing fault costs time alone; a broker that is away is waited for.
 */
public final class TopicTail implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicTail.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration POLL_WHILE_AWAITED = Duration.ofMillis(100);
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final long LOOK_MS = 250;
    private static final long RETRY_MS = 1_000;

    private final TailSource source;
    private final Sink sink;
    private final java.util.function.Consumer<Throwable> onFailure;
    private final Supplier<? extends Consumer<byte[], byte[]>> clients;
    private final Thread thread;
    private final Map<TopicPartition, Long> reached = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Void>> asked = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();
    /** Of the tail's thread alone. */
    private final List<Goal> goals = new ArrayList<>();

    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile boolean healthy;
    private volatile boolean looking;
    /** When the ends were asked for that were last reached. */
    private volatile long reachedNanos = System.nanoTime();

    private volatile @Nullable Consumer<byte[], byte[]> current;

    /** What to do with records; called on the tail's thread alone. What it throws is a failure: the same records come again. */
    public interface Sink {
        /** Where to begin; a partition that is missing begins where the source says. */
        default Map<TopicPartition, Long> positions() {
            return Map.of();
        }

        /** @param next positions behind these records, to be kept together with what is made of them */
        void apply(List<ConsumerRecord<byte[], byte[]>> records, Map<TopicPartition, Long> next);

        /** Takes each record by itself; one that it throws at is logged and passed over. */
        static Sink each(java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> handler) {
            return (records, next) -> records.forEach(record -> {
                try {
                    handler.accept(record);
                } catch (RuntimeException e) {
                    LOG.error(
                            "passed over a record of {} at partition {} offset {}",
                            record.topic(),
                            record.partition(),
                            record.offset(),
                            e);
                }
            });
        }
    }

    /** Ends of the topics, as they were at a time. */
    private record Goal(Map<TopicPartition, Long> ends, long askedNanos, CompletableFuture<Void> done) {}

    /** A tail whose failures are logged. */
    public TopicTail(TailSource source, Sink sink) {
        this(source, sink, e -> LOG.warn("{} starts again: {}", source.name(), e.toString()));
    }

    /** @param onFailure called on the tail's thread, before it starts again */
    public TopicTail(TailSource source, Sink sink, java.util.function.Consumer<Throwable> onFailure) {
        this(
                source,
                sink,
                onFailure,
                () -> new KafkaConsumer<>(source.config(), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    TopicTail(
            TailSource source,
            Sink sink,
            java.util.function.Consumer<Throwable> onFailure,
            Supplier<? extends Consumer<byte[], byte[]>> clients) {
        this.source = source;
        this.sink = sink;
        this.onFailure = onFailure;
        this.clients = clients;
        this.thread = new Thread(this::run, source.name());
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Done when everything was applied that stood in the topics at the start. Not to be completed by others. */
    public CompletableFuture<Void> loaded() {
        return loaded;
    }

    /** Grows as records are read: tells whoever waits a long way from a halt. */
    public long progress() {
        return reached.values().stream().mapToLong(Long::longValue).sum();
    }

    /** As {@link #loaded()}. */
    public boolean isLoaded() {
        return loaded.isDone();
    }

    /** Whether it is reading, and has read what was there when it began, or began again after a failure. */
    public boolean isHealthy() {
        return healthy;
    }

    /** Completes, on the tail's thread, once everything that can be seen in the topics now was applied; never fails. */
    public CompletableFuture<Void> catchUp() {
        var done = new CompletableFuture<Void>();
        asked.add(done);
        wakeup();
        return done;
    }

    /** Makes the tail look for the ends of its topics again and again, for {@link #behindMs}. Before the start. */
    public void keepLooking() {
        looking = true;
    }

    /**
     * How long ago all was applied that could be seen in the topics at that moment, in ms. Grows while the broker does not
     * answer, or while more comes than is handled. Only of one that {@link #keepLooking keeps looking} and is loaded.
     */
    public long behindMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - reachedNanos);
    }

    @Override
    public void close() {
        closing.countDown();
        wakeup();
        try {
            thread.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wakeup() {
        Consumer<byte[], byte[]> open = current;
        if (open != null) {
            open.wakeup();
        }
    }

    private void run() {
        try {
            while (!isClosing()) {
                attempt();
            }
        } catch (InterruptException e) {
            LOG.info("{} was interrupted, and ends", source.name());
        } finally {
            healthy = false;
        }
    }

    /** From one opening of a client to the next failure. Errors too: a tail that is gone would be missed by nobody. */
    private void attempt() {
        try (var opened = clients.get()) {
            current = opened;
            read(opened);
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            healthy = false;
            if (!isClosing()) {
                onFailure.accept(e);
                pause();
            }
        } finally {
            current = null;
        }
    }

    private void read(Consumer<byte[], byte[]> open) {
        List<TopicPartition> partitions = undisturbed(() -> partitions(open));
        open.assign(partitions);
        seek(open, partitions);
        // Also makes the consumer look its start positions up, where it has not yet.
        reached.putAll(positions(open, partitions));
        // Who was waiting when the last attempt failed goes on waiting.
        goals.stream()
                .map(Goal::done)
                .filter(done -> done != loaded && !done.isDone())
                .forEach(asked::add);
        goals.clear();
        goals.add(goal(open, partitions, loaded));
        CompletableFuture<Void> look = loaded;
        while (!isClosing()) {
            poll(open, partitions, goals.isEmpty() && asked.isEmpty() ? POLL : POLL_WHILE_AWAITED);
            addGoals(open, partitions);
            goals.removeIf(goal -> goal.done().isDone() && goal.done() != loaded || isReached(goal));
            if (looking && look.isDone() && behindMs() >= LOOK_MS) {
                try {
                    long nowNanos = System.nanoTime();
                    look = new CompletableFuture<>();
                    goals.add(new Goal(undisturbed(() -> open.endOffsets(partitions, LOOK_TIMEOUT)), nowNanos, look));
                } catch (TimeoutException e) {
                    look = loaded;
                    LOG.debug("nobody tells the ends of {}", source.topics(), e);
                }
            }
        }
    }

    /** Nobody is forgotten where the ends cannot be had now: all stay in the queue until they are. */
    private void addGoals(Consumer<byte[], byte[]> open, List<TopicPartition> partitions) {
        asked.removeIf(CompletableFuture::isDone);
        List<CompletableFuture<Void>> all = List.copyOf(asked);
        if (!all.isEmpty()) {
            Goal first = goal(open, partitions, all.get(0));
            all.forEach(done -> goals.add(new Goal(first.ends(), first.askedNanos(), done)));
            asked.removeAll(all);
        }
    }

    private Goal goal(Consumer<byte[], byte[]> open, List<TopicPartition> partitions, CompletableFuture<Void> done) {
        long nowNanos = System.nanoTime();
        return new Goal(undisturbed(() -> open.endOffsets(partitions)), nowNanos, done);
    }

    private boolean isReached(Goal goal) {
        boolean there = goal.ends().entrySet().stream()
                .allMatch(end -> reached.getOrDefault(end.getKey(), -1L) >= end.getValue());
        if (there) {
            reachedNanos = Math.max(reachedNanos, goal.askedNanos());
            // A goal of this attempt, and what failed before lies behind it.
            healthy = true;
            goal.done().complete(null);
        }
        return there;
    }

    private List<TopicPartition> partitions(Consumer<byte[], byte[]> open) {
        OptionalInt one = source.partition();
        return source.topics().stream()
                .flatMap(topic -> one.isPresent()
                        ? Stream.of(new TopicPartition(topic, one.getAsInt()))
                        : partitions(open, topic))
                .toList();
    }

    private static Stream<TopicPartition> partitions(Consumer<byte[], byte[]> open, String topic) {
        List<PartitionInfo> found = open.partitionsFor(topic, METADATA_TIMEOUT);
        if (found == null || found.isEmpty()) {
            throw new IllegalStateException("topic " + topic + " is missing");
        }
        return found.stream().map(info -> new TopicPartition(info.topic(), info.partition()));
    }

    private void seek(Consumer<byte[], byte[]> open, List<TopicPartition> partitions) {
        Map<TopicPartition, Long> kept = sink.positions();
        for (TopicPartition partition : partitions) {
            Long position = reached.getOrDefault(partition, kept.get(partition));
            if (position != null) {
                open.seek(partition, position);
            } else if (source.from() == TailSource.From.BEGINNING) {
                open.seekToBeginning(List.of(partition));
            } else {
                open.seekToEnd(List.of(partition));
            }
        }
    }

    private void poll(Consumer<byte[], byte[]> open, List<TopicPartition> partitions, Duration atMost) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try {
            open.poll(asked.isEmpty() ? atMost : Duration.ZERO).forEach(records::add);
        } catch (WakeupException e) {
            // Somebody wants to know the end of the topics, or this tail is being closed: the loop looks.
            return;
        }
        Map<TopicPartition, Long> next = positions(open, partitions);
        if (!records.isEmpty()) {
            sink.apply(records, next);
        }
        // Whatever went wrong before this line, the same records are read again.
        reached.putAll(next);
    }

    private Map<TopicPartition, Long> positions(Consumer<byte[], byte[]> open, List<TopicPartition> partitions) {
        return undisturbed(() -> partitions.stream().collect(Collectors.toMap(partition -> partition, open::position)));
    }

    /**
     * A wake-up is meant for a poll that waits. It can hit any other call to the broker too, when several ask at once;
     * that call is made again, since nothing failed.
     */
    private <T> T undisturbed(Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (WakeupException e) {
                if (isClosing()) {
                    throw e;
                }
            }
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private void pause() {
        try {
            closing.await(RETRY_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            closing.countDown();
        }
    }
}
