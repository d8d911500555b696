package io.sallyport.session.kafka;

import io.sallyport.envelope.topic.Topics;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/** Looks every few seconds whether the raw log could take a record: each partition has a leader and enough replicas. */
public final class LogProbe implements AutoCloseable {
    private static final int INTERVAL_MS = 2_000;
    private static final int TIMEOUT_MS = 3_000;

    private final Admin admin;
    private final int minInsync;
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "raw-log-probe");
        thread.setDaemon(true);
        return thread;
    });
    private volatile String trouble = "not looked at yet";

    public LogProbe(String bootstrapServers, int node, int minInsync) {
        this.minInsync = minInsync;
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG, "sallyport-raw-probe-" + node,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MS,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500));
        executor.scheduleWithFixedDelay(this::look, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    /** Empty while the log is reachable. */
    public String trouble() {
        return trouble;
    }

    private void look() {
        try {
            TopicDescription raw = admin.describeTopics(java.util.List.of(Topics.RAW.name()))
                    .allTopicNames()
                    .get(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                    .get(Topics.RAW.name());
            trouble = raw == null ? "the topic is missing" : troubleOf(raw);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            trouble = "the brokers do not answer: " + e.getMessage();
        }
    }

    private String troubleOf(TopicDescription raw) {
        for (TopicPartitionInfo partition : raw.partitions()) {
            if (partition.leader() == null || partition.leader().isEmpty()) {
                return "partition " + partition.partition() + " has no leader";
            }
            if (partition.isr().size() < minInsync) {
                return "partition " + partition.partition() + " has too few replicas in sync";
            }
        }
        return "";
    }

    @Override
    public void close() {
        executor.shutdownNow();
        admin.close(java.time.Duration.ofSeconds(1));
    }
}
