package io.sallyport.fanout.kafka;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.fanout.core.AlertKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads whole topics on a thread of its own: to their end first, and then on as they grow; only what is committed. A
 * failure is alerted and the reading starts again where it was, so that a passing fault costs time alone.
 */
public final class TopicTail implements AutoCloseable {
    /** What to do with records; called on the tail's thread alone. */
    public interface Sink {
        /** Where to go on reading; empty for the beginning of what the topic still has. */
        Map<TopicPartition, Long> positions();

        /** @param next positions behind these records, to be kept together with what is made of them */
        void apply(List<ConsumerRecord<String, byte[]>> records, Map<TopicPartition, Long> next);
    }

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final long RETRY_MS = 1_000;
    private static final long PAUSE_STEP_MS = 50;
    private static final int FETCH_MAX_BYTES = 8 << 20;
    /** A question for the end of a topic waits behind the fetch that is under way. */
    private static final int FETCH_MAX_WAIT_MS = 20;

    private record Goal(Map<TopicPartition, Long> ends, CompletableFuture<Void> done) {}

    private final String bootstrapServers;
    private final String name;
    private final List<String> topics;
    private final Sink sink;
    private final Alerts alerts;
    private final Map<TopicPartition, Long> reached = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Void>> asked = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean healthy;
    private volatile @Nullable KafkaConsumer<String, byte[]> current;

    public TopicTail(String bootstrapServers, String name, List<String> topics, Sink sink, Alerts alerts) {
        this.bootstrapServers = bootstrapServers;
        this.name = name;
        this.topics = List.copyOf(topics);
        this.sink = sink;
        this.alerts = alerts;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Done when everything that stood in the topics at the start was applied. */
    public CompletableFuture<Void> loaded() {
        return loaded;
    }

    /** Whether it is reading, and has read what was there at its start. */
    public boolean isHealthy() {
        return healthy && loaded.isDone();
    }

    /** Completes, on the tail's thread, once everything that is committed in the topics now was applied; never fails. */
    public CompletableFuture<Void> catchUp() {
        var done = new CompletableFuture<Void>();
        asked.add(done);
        KafkaConsumer<String, byte[]> consumer = current;
        if (consumer != null) {
            consumer.wakeup();
        }
        return done;
    }

    private void run() {
        while (!closed) {
            try (var consumer = new KafkaConsumer<>(config(), new StringDeserializer(), new ByteArrayDeserializer())) {
                current = consumer;
                read(consumer);
            } catch (RuntimeException e) {
                healthy = false;
                if (!closed) {
                    alerts.raise(AlertKind.WORKER_FAILED, name + " starts again after " + e);
                    pause();
                }
            } finally {
                current = null;
            }
        }
    }

    private void read(KafkaConsumer<String, byte[]> consumer) {
        List<TopicPartition> partitions = topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        Map<TopicPartition, Long> from = sink.positions();
        for (TopicPartition partition : partitions) {
            Long position = from.get(partition);
            if (position == null) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seek(partition, position);
            }
        }
        var goals = new ArrayList<Goal>();
        goals.add(new Goal(undisturbed(() -> consumer.endOffsets(partitions)), loaded));
        healthy = true;
        while (!closed) {
            poll(consumer, partitions);
            for (var done = asked.poll(); done != null; done = asked.poll()) {
                if (!done.isDone()) {
                    goals.add(new Goal(undisturbed(() -> consumer.endOffsets(partitions)), done));
                }
            }
            goals.removeIf(goal -> {
                boolean there = goal.ends().entrySet().stream()
                        .allMatch(end -> reached.getOrDefault(end.getKey(), 0L) >= end.getValue());
                if (there) {
                    goal.done().complete(null);
                }
                return there || goal.done().isDone();
            });
        }
    }

    private void poll(KafkaConsumer<String, byte[]> consumer, List<TopicPartition> partitions) {
        var records = new ArrayList<ConsumerRecord<String, byte[]>>();
        try {
            consumer.poll(asked.isEmpty() ? POLL : Duration.ZERO).forEach(records::add);
        } catch (WakeupException e) {
            // Somebody wants to know the end of the topics, or this tail is being closed: the loop looks.
            return;
        }
        Map<TopicPartition, Long> next = undisturbed(
                () -> partitions.stream().collect(Collectors.toMap(partition -> partition, consumer::position)));
        if (!records.isEmpty()) {
            sink.apply(records, next);
        }
        reached.putAll(next);
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
                if (closed) {
                    throw e;
                }
            }
        }
    }

    private Map<String, Object> config() {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.CLIENT_ID_CONFIG,
                name,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                2_000,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                FETCH_MAX_BYTES,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                FETCH_MAX_WAIT_MS,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false);
    }

    private void pause() {
        for (long leftMs = RETRY_MS; leftMs > 0 && !closed; leftMs -= PAUSE_STEP_MS) {
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_STEP_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        KafkaConsumer<String, byte[]> consumer = current;
        if (consumer != null) {
            consumer.wakeup();
        }
        try {
            thread.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
