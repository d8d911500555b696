package io.sallyport.consumer;

import io.sallyport.envelope.topic.RetentionTier;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How a consumer reads.
 *
 * @param bootstrapServers brokers, {@code host:port} separated by commas
 * @param group consumer group; its members share the shards
 * @param eventTypes that the handler wants; others are counted and passed over. Empty: all
 * @param retry of a record that the handler fails at
 * @param lag when being behind is an alert
 * @param client further settings of Kafka's consumer and producer: how to reach the brokers, {@code client.rack}
 */
public record ConsumerSettings(
        String bootstrapServers,
        String group,
        Set<Integer> eventTypes,
        Retry retry,
        Lag lag,
        Map<String, String> client) {
    /** What the promises hang on. */
    private static final Set<String> FIXED = Set.of(
            "group.id",
            "bootstrap.servers",
            "isolation.level",
            "enable.auto.commit",
            "auto.offset.reset",
            "key.deserializer",
            "value.deserializer",
            "key.serializer",
            "value.serializer",
            "transactional.id",
            "enable.idempotence",
            "acks");

    private static final int MAX_GROUP = 120;

    /**
     * @param attempts before a record is given up
     * @param first pause after the first failure; it doubles with each further one
     * @param longest pause
     */
    public record Retry(int attempts, Duration first, Duration longest) {
        public static final Retry DEFAULT = new Retry(5, Duration.ofMillis(200), Duration.ofSeconds(10));

        public Retry {
            require(attempts >= 1 && attempts <= 1_000, "attempts must lie between 1 and 1000");
            require(
                    first.toMillis() >= 1
                            && first.compareTo(longest) <= 0
                            && longest.compareTo(Duration.ofMinutes(4)) <= 0,
                    "the first pause must be 1 ms or more and not above the longest, and that at most 4 min");
        }
    }

    /**
     * @param alert fraction of the retention, 0 … 1, that the oldest waiting record has used up
     * @param retention of `structured`
     */
    public record Lag(double alert, Duration retention) {
        public static final Lag DEFAULT = new Lag(0.1, RetentionTier.WARM.retention());

        public Lag {
            require(alert > 0 && alert <= 1, "the fraction of the retention must lie above 0 and not above 1");
            require(retention.toMillis() >= 1_000, "the retention must be a second or more");
        }
    }

    public ConsumerSettings {
        require(!bootstrapServers.isBlank(), "bootstrap servers are needed");
        require(
                group.matches("[0-9A-Za-z][0-9A-Za-z._-]{0," + (MAX_GROUP - 1) + "}"),
                "a group is 1 to " + MAX_GROUP + " letters, digits, dots, underscores and dashes");
        require(
                eventTypes.stream().allMatch(type -> type >= 1 && type <= 0xffff),
                "event types lie between 1 and 65535");
        var refused = new TreeMap<>(client);
        refused.keySet().retainAll(FIXED);
        require(refused.isEmpty(), "not to be changed: " + String.join(", ", refused.keySet()));
        eventTypes = Set.copyOf(eventTypes);
        client = Map.copyOf(client);
    }

    /** All event types, five attempts, an alert at a tenth of seven days. */
    public static ConsumerSettings of(String bootstrapServers, String group) {
        return new ConsumerSettings(bootstrapServers, group, Set.of(), Retry.DEFAULT, Lag.DEFAULT, Map.of());
    }

    public ConsumerSettings withEventTypes(Set<Integer> types) {
        return new ConsumerSettings(bootstrapServers, group, types, retry, lag, client);
    }

    public ConsumerSettings withRetry(Retry other) {
        return new ConsumerSettings(bootstrapServers, group, eventTypes, other, lag, client);
    }

    public ConsumerSettings withLag(Lag other) {
        return new ConsumerSettings(bootstrapServers, group, eventTypes, retry, other, client);
    }

    public ConsumerSettings withClient(Map<String, String> other) {
        return new ConsumerSettings(bootstrapServers, group, eventTypes, retry, lag, other);
    }

    /** Client settings may hold a password. */
    @Override
    public String toString() {
        return "ConsumerSettings[" + bootstrapServers + ", group " + group + ", event types " + eventTypes + ", "
                + retry + ", " + lag + ", client " + client.keySet() + "]";
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
