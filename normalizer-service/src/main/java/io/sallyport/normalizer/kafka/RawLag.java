package io.sallyport.normalizer.kafka;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.metrics.AlertKind;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how far behind the raw log this instance is, by partition, and raises an alert long before retention takes
 * what was not handled yet. Lag in time is the age of the last handled record while newer ones wait.
 */
public final class RawLag implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RawLag.class);
    private static final long EVERY_MS = 2_000;
    private static final int ALERT_PERCENT = 50;

    private final Admin admin;
    private final NormalizerMetrics metrics;
    private final int partitions;
    private final ScheduledExecutorService timer;
    private final Map<Integer, long[]> lags = new HashMap<>();
    private final Set<Integer> alerted = new HashSet<>();

    public RawLag(String bootstrapServers, NormalizerMetrics metrics, int partitions) {
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-normalizer-lag"));
        this.metrics = metrics;
        this.partitions = partitions;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            var thread = new Thread(task, "raw-lag");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        timer.scheduleWithFixedDelay(this::look, EVERY_MS, EVERY_MS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            var wanted = new HashMap<TopicPartition, OffsetSpec>();
            for (int p = 0; p < partitions; p++) {
                if (metrics.handled(p).isPresent()) {
                    wanted.put(new TopicPartition(Topics.RAW.name(), p), OffsetSpec.latest());
                }
            }
            var ends = admin.listOffsets(wanted).all().get(EVERY_MS * 5, TimeUnit.MILLISECONDS);
            ends.forEach((partition, end) -> update(partition.partition(), end.offset()));
        } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
            LOG.debug("the end of raw is not known now", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void update(int partition, long end) {
        NormalizerMetrics.Handled handled = metrics.handled(partition).orElseThrow();
        long records = Math.max(0, end - 1 - handled.offset());
        long ms = records == 0 ? 0 : Math.max(0, System.currentTimeMillis() - handled.appendMs());
        long[] lag = lags.get(partition);
        if (lag == null) {
            long[] made = new long[2];
            lags.put(partition, made);
            lag = made;
            metrics.gauge("sallyport.normalizer.lag.records", partition, () -> made[0]);
            metrics.gauge("sallyport.normalizer.lag.ms", partition, () -> made[1]);
        }
        lag[0] = records;
        lag[1] = ms;
        boolean late = ms > Topics.RAW.retention().toMillis() * ALERT_PERCENT / 100;
        if (late && alerted.add(partition)) {
            metrics.alerts()
                    .raise(
                            AlertKind.RAW_LAG,
                            "raw partition " + partition + " is " + ms + " ms behind, above " + ALERT_PERCENT
                                    + " % of its retention");
        } else if (!late) {
            alerted.remove(partition);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        admin.close();
    }
}
