package io.sallyport.session.kafka;

import io.sallyport.session.core.AlertKind;
import io.sallyport.session.core.RawPressure;
import io.sallyport.session.core.RawRetention;
import io.sallyport.session.metrics.GatewayMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches, by partition of the raw log, how much of its retention the normalizer has used up, on a thread of its own.
 *
 * <p>Fails safe: before the first look that succeeds every shard holds, and where looks fail later the last one is aged
 * as if the normalizer had stood still since ({@link RawRetention#usedNow}).
 */
public final class RawRetentionWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RawRetentionWatch.class);
    private static final int TIMEOUT_MS = 5_000;

    private final Admin admin;
    private final RawLagLook look;
    private final long staleAfterMs;
    private final GatewayMetrics metrics;
    private final AtomicReferenceArray<RawPressure> pressures;
    private final double[] seen;
    private final boolean[] alerted;
    private boolean alertedUnknown;
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "raw-retention");
        thread.setDaemon(true);
        return thread;
    });
    private long seenNanos;
    private long retentionMs;
    private boolean failing;
    private volatile double[] used;
    private volatile boolean known;
    private final CountDownLatch firstLook = new CountDownLatch(1);

    /**
     * @param group consumer group of the normalizer that serves live
     * @param staleAfter age of a look that can no longer be relied on
     */
    public RawRetentionWatch(
            String bootstrapServers,
            int node,
            String group,
            Duration lookInterval,
            Duration staleAfter,
            int partitions,
            GatewayMetrics metrics) {
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG, "sallyport-raw-retention-" + node,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MS,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500));
        this.look = new RawLagLook(admin, group, partitions, TIMEOUT_MS);
        this.staleAfterMs = staleAfter.toMillis();
        this.metrics = metrics;
        this.pressures = new AtomicReferenceArray<>(partitions);
        this.seen = new double[partitions];
        this.used = new double[partitions];
        this.alerted = new boolean[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            pressures.set(partition, new RawPressure(0, true));
            int of = partition;
            metrics.gauge("sallyport.raw.retention.used", () -> used[of], "partition", Integer.toString(partition));
        }
        executor.scheduleWithFixedDelay(this::watch, 0, lookInterval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What a partition asks for now. */
    public RawPressure pressure(int partition) {
        return pressures.get(partition);
    }

    /** Waits for the first look that succeeds, so that nobody is turned away for the moment that it takes. */
    public void awaitFirstLook(Duration atMost) throws InterruptedException {
        if (!firstLook.await(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.warn("what waits to be normalized is not known yet: every shard holds until it is");
        }
    }

    /** A look has succeeded; before that every shard holds. */
    public boolean isKnown() {
        return known;
    }

    /** Partitions of which nothing is appended now, ascending. */
    public List<Integer> heldPartitions() {
        var held = new ArrayList<Integer>();
        for (int partition = 0; partition < pressures.length(); partition++) {
            if (pressures.get(partition).holds()) {
                held.add(partition);
            }
        }
        return held;
    }

    private void watch() {
        try {
            RawLagLook.Seen found = look.look();
            System.arraycopy(found.used(), 0, seen, 0, seen.length);
            retentionMs = found.retentionMs();
            seenNanos = System.nanoTime();
            known = true;
            if (failing) {
                failing = false;
                LOG.info("what waits to be normalized is known again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (Exception e) {
            if (!failing) {
                failing = true;
                LOG.warn("what waits to be normalized cannot be looked at: {}", e.toString());
            }
        }
        if (known) {
            decide();
            firstLook.countDown();
        }
    }

    private void decide() {
        long sinceMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seenNanos);
        boolean stale = sinceMs > staleAfterMs;
        alertUnknown(stale, sinceMs);
        double[] now = Arrays.copyOf(seen, seen.length);
        for (int partition = 0; partition < now.length; partition++) {
            now[partition] = RawRetention.usedNow(seen[partition], sinceMs, retentionMs, staleAfterMs);
            RawPressure before = pressures.get(partition);
            RawPressure after = RawRetention.pressure(before, now[partition]);
            pressures.set(partition, after);
            if (before.holds() != after.holds()) {
                LOG.warn(
                        "raw partition {} {} telemetry",
                        partition,
                        after.holds() ? "is too far behind to take" : "takes");
            }
            // What was measured is alerted, not what is assumed meanwhile.
            if (!stale) {
                alert(partition, now[partition]);
            }
        }
        used = now;
    }

    private void alertUnknown(boolean stale, long sinceMs) {
        if (stale && !alertedUnknown) {
            metrics.alerted(AlertKind.RAW_LAG_UNKNOWN);
            LOG.warn(
                    "alert {} what waits to be normalized is not known since {} s: telemetry is slowed",
                    AlertKind.RAW_LAG_UNKNOWN,
                    sinceMs / 1_000);
        }
        alertedUnknown = stale;
    }

    private void alert(int partition, double fraction) {
        if (fraction >= RawRetention.ALERT && !alerted[partition]) {
            alerted[partition] = true;
            metrics.alerted(AlertKind.RAW_LAG);
            LOG.warn(
                    "alert {} raw partition {}: {} % of its retention is used up by what waits to be normalized",
                    AlertKind.RAW_LAG, partition, Math.round(100 * fraction));
        } else if (fraction <= RawRetention.CALM) {
            alerted[partition] = false;
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
        admin.close(Duration.ofSeconds(1));
    }
}
