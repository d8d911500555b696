package io.sallyport.export.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.core.Rotation;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.work.ExportSettings;
import io.sallyport.export.work.Maintenance;
import io.sallyport.export.work.ShardExport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A worker in a JVM of its own, so that a test can kill and stop it as a machine would. It is in a consumer group of its
 * own: every process works on every shard, all the time.
 */
public final class ExportProcess {
    private ExportProcess() {}

    static Process start(String bootstrapServers, Path folder, Path scratch) throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExportProcess.class.getName(),
                        bootstrapServers,
                        folder.toString(),
                        scratch.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) throws IOException {
        var worker = worker(
                args[0],
                new LocalStore(Path.of(args[1])),
                Path.of(args[2]),
                new SimpleMeterRegistry(),
                TimeUnit.MINUTES.toNanos(1));
        var thread = new Thread(worker, "export");
        thread.setDaemon(true);
        thread.start();
        // The parent ends this process; where the parent dies first, its input ends.
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(0);
    }

    /** A worker that reads all shards, and cuts and compacts without waiting. */
    static ExportWorker worker(
            String bootstrapServers, ObjectStore store, Path scratch, MeterRegistry meters, long settleNanos)
            throws IOException {
        var metrics = new ExportMetrics(meters, new Alerts(meters));
        var settings =
                new ExportSettings("test", Files.createDirectories(scratch), new Rotation(1 << 20, 100), 128 << 20);
        var consumer = ExportWorker.consumerSettings(bootstrapServers, "test", "");
        consumer.put("group.id", UUID.randomUUID().toString());
        var shards = new ExportWorker.Shards() {
            @Override
            public ShardExport open(int shard) throws IOException {
                return new ShardExport(settings, store, shard, metrics);
            }

            @Override
            public boolean maintain(int shard) throws IOException {
                // The rows' date is closed, so compactions get between the exports.
                return new Maintenance(settings, new Maintenance.Limits(36_500, 0, 0), store, shard, metrics)
                        .run(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.DAYS.toMicros(7));
            }
        };
        return new ExportWorker(
                consumer,
                shards,
                new LogEnds(bootstrapServers),
                metrics,
                new WorkerLimits(64 << 20, 1 << 30, TimeUnit.SECONDS.toNanos(1), settleNanos));
    }
}
