package io.sallyport.edge.read;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What a {@link TopicTail} reads, and how.
 *
 * @param name of the client and of the thread
 * @param partition the only one to read of each topic; empty reads all
 * @param fetchWaitMs how long the broker may hold a fetch while nothing comes: a question for the end of a topic waits behind
 *     it, and each idle fetch costs the broker something
 */
public record TailSource(
        String bootstrapServers,
        String name,
        List<String> topics,
        OptionalInt partition,
        From from,
        Isolation isolation,
        int fetchWaitMs) {
    private static final int QUICK_FETCH_WAIT_MS = 20;
    private static final int IDLE_FETCH_WAIT_MS = 500;
    private static final int MAX_POLL_RECORDS = 2_000;
    private static final int FETCH_MAX_BYTES = 8 << 20;

    /** Where reading starts. */
    public enum From {
        /** At the oldest record; loaded once what was there then was applied. */
        BEGINNING,
        /** Behind the newest record; loaded once that position is known. */
        END
    }

    /** Which records are seen. */
    public enum Isolation {
        /** Those of a transaction only once it is committed. */
        COMMITTED,
        /** All, at once: for readers to whom what is undone afterwards does no harm. */
        UNCOMMITTED
    }

    public TailSource {
        topics = List.copyOf(topics);
    }

    /** All committed records of whole topics, for a reader that is not asked to catch up. */
    public static TailSource of(String bootstrapServers, String name, List<String> topics) {
        return new TailSource(
                bootstrapServers,
                name,
                topics,
                OptionalInt.empty(),
                From.BEGINNING,
                Isolation.COMMITTED,
                IDLE_FETCH_WAIT_MS);
    }

    /** For a reader that is asked to catch up while somebody waits. */
    public TailSource quick() {
        return new TailSource(bootstrapServers, name, topics, partition, from, isolation, QUICK_FETCH_WAIT_MS);
    }

    /** One partition, from its end on. */
    public TailSource atEndOf(int number) {
        return new TailSource(bootstrapServers, name, topics, OptionalInt.of(number), From.END, isolation, fetchWaitMs);
    }

    /** See {@link Isolation#UNCOMMITTED}. */
    public TailSource uncommitted() {
        return new TailSource(bootstrapServers, name, topics, partition, from, Isolation.UNCOMMITTED, fetchWaitMs);
    }

    Map<String, Object> config() {
        var config = new HashMap<String, Object>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, name);
        config.put(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                isolation == Isolation.COMMITTED ? "read_committed" : "read_uncommitted");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, from == From.BEGINNING ? "earliest" : "latest");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_MAX_BYTES);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, fetchWaitMs);
        config.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
        return config;
    }
}
