package io.sallyport.topics;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The catalogue on a real broker. {@link #create} is the one-shot job that runs before any service; {@link #check} is
 * what each service does at its start, so that it never writes to a topic that is missing or different.
 */
public final class TopicAdmin implements AutoCloseable {
    private static final int METADATA_SECONDS = 30;
    private static final int METADATA_RETRY_MS = 100;

    private final Admin admin;
    private final TopicSizing sizing;

    public TopicAdmin(String bootstrapServers, TopicSizing sizing) {
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-topic-admin",
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                30_000,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                10_000));
        this.sizing = sizing;
    }

    /** Creates what is missing and leaves what is there; the topics have a leader when it returns. */
    public void create() throws InterruptedException {
        var wanted = new ArrayList<NewTopic>();
        for (TopicSpec<?> topic : Topics.all()) {
            wanted.add(new NewTopic(topic.name(), topic.partitions(sizing), (short) sizing.replication())
                    .configs(topic.configs(sizing)));
        }
        for (var created : admin.createTopics(wanted).values().entrySet()) {
            try {
                created.getValue().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw new TopicMismatchException("cannot create topic " + created.getKey() + ": " + e.getCause());
                }
            }
        }
        awaitMetadata();
        check(Topics.all());
    }

    /** A created topic is decided at the controller; a broker that is asked right after may not have heard of it. */
    private void awaitMetadata() throws InterruptedException {
        List<String> names = Topics.all().stream().map(TopicSpec::name).toList();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(METADATA_SECONDS);
        while (true) {
            try {
                admin.describeTopics(names).allTopicNames().get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() > end) {
                    throw new TopicMismatchException("created topics do not appear: " + e.getCause());
                }
                TimeUnit.MILLISECONDS.sleep(METADATA_RETRY_MS);
            }
        }
    }

    /**
     * Compares topics of the catalogue with what the broker has.
     *
     * @throws TopicMismatchException naming every difference at once, so that one look is enough to mend them
     */
    public void check(Collection<? extends TopicSpec<?>> topics) throws InterruptedException {
        var differences = new ArrayList<String>();
        Map<String, Config> configs = configsOf(topics);
        var descriptions = admin.describeTopics(
                        topics.stream().map(TopicSpec::name).toList())
                .topicNameValues();
        for (TopicSpec<?> topic : topics) {
            try {
                TopicDescription found =
                        Objects.requireNonNull(descriptions.get(topic.name())).get();
                if (found.partitions().size() != topic.partitions(sizing)) {
                    differences.add("%s has %d partitions, not %d"
                            .formatted(topic.name(), found.partitions().size(), topic.partitions(sizing)));
                }
                differences.addAll(differences(topic, configs.getOrDefault(topic.name(), new Config(List.of()))));
            } catch (ExecutionException e) {
                differences.add(
                        e.getCause() instanceof UnknownTopicOrPartitionException
                                ? topic.name() + " is missing"
                                : topic.name() + ": " + e.getCause());
            }
        }
        if (!differences.isEmpty()) {
            throw new TopicMismatchException("topics differ from the catalogue: " + String.join("; ", differences));
        }
    }

    /** The effective value of one setting of a topic, for limits that a service must fit into. */
    public long maxMessageBytes(TopicSpec<?> topic) throws InterruptedException {
        Config config = configsOf(List.of(topic)).get(topic.name());
        ConfigEntry entry = config == null ? null : config.get("max.message.bytes");
        if (entry == null) {
            throw new TopicMismatchException(topic.name() + " is missing");
        }
        return Long.parseLong(entry.value());
    }

    private Map<String, Config> configsOf(Collection<? extends TopicSpec<?>> topics) throws InterruptedException {
        var resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                .toList();
        var configs = new HashMap<String, Config>();
        for (var entry : admin.describeConfigs(resources).values().entrySet()) {
            try {
                configs.put(entry.getKey().name(), entry.getValue().get());
            } catch (ExecutionException e) {
                // A missing topic is reported by its description; anything else is too, as all its settings differ.
                continue;
            }
        }
        return configs;
    }

    private List<String> differences(TopicSpec<?> topic, Config found) {
        var differences = new ArrayList<String>();
        topic.configs(sizing).forEach((name, wanted) -> {
            ConfigEntry entry = found.get(name);
            String value = entry == null ? null : entry.value();
            if (!wanted.equals(value) && !(name.equals("retention.ms") && isLonger(value, wanted))) {
                differences.add("%s has %s=%s, not %s".formatted(topic.name(), name, value, wanted));
            }
        });
        return differences;
    }

    /** What an operator raises for the time being, when somebody is behind, does no harm to whoever starts meanwhile. */
    private static boolean isLonger(@Nullable String retentionMs, String wantedMs) {
        return retentionMs != null
                && (Long.parseLong(retentionMs) < 0 || Long.parseLong(retentionMs) > Long.parseLong(wantedMs));
    }

    @Override
    public void close() {
        admin.close();
    }
}
