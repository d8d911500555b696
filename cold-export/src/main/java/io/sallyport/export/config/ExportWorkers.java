package io.sallyport.export.config;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.core.Rotation;
import io.sallyport.export.kafka.ExportNow;
import io.sallyport.export.kafka.ExportWorker;
import io.sallyport.export.kafka.LogEnds;
import io.sallyport.export.kafka.WorkerLimits;
import io.sallyport.export.manifest.CustomerFiles;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.work.ExportSettings;
import io.sallyport.export.work.LakeListing;
import io.sallyport.export.work.Maintenance;
import io.sallyport.export.work.ShardExport;
import io.sallyport.topics.TopicAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.FileSystemUtils;

/** Starts the workers once the topics are there, and stops them. */
final class ExportWorkers implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(ExportWorkers.class);
    private static final Duration SETTLE = Duration.ofMinutes(1);
    private static final Duration STOP = Duration.ofSeconds(25);

    private final ExportProperties properties;
    private final ObjectStore store;
    private final LakeListing lake;
    private final ExportMetrics metrics;
    private final Runnable died;
    private final List<ExportWorker> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean running;
    private LogEnds ends;

    /** @param died runs where a worker ends by itself, which only a restart mends */
    ExportWorkers(ExportProperties properties, ObjectStore store, ExportMetrics metrics, Runnable died) {
        this.died = died;
        this.properties = properties;
        this.store = store;
        this.lake = new LakeListing(store);
        this.metrics = metrics;
        this.ends = new LogEnds(properties.bootstrapServers());
    }

    @Override
    public void start() {
        try {
            checkTopics();
            clearScratch();
        } catch (RuntimeException e) {
            // What was made already holds threads, and nobody stops what never ran.
            stop();
            throw e;
        }
        for (int i = 0; i < properties.threads(); i++) {
            var worker = new ExportWorker(
                    ExportWorker.consumerSettings(properties.bootstrapServers(), properties.cell(), properties.rack()),
                    new StoreShards(),
                    ends,
                    metrics,
                    new WorkerLimits(
                            properties.bufferBytes().toBytes(),
                            properties.scratchBytes().toBytes(),
                            properties.maintenance().every().toNanos(),
                            SETTLE.toNanos()));
            workers.add(worker);
            var thread = new Thread(worker, "export-" + i);
            thread.setUncaughtExceptionHandler((dead, cause) -> {
                LOG.error("{} died", dead.getName(), cause);
                died.run();
            });
            threads.add(thread);
            thread.start();
        }
        running = true;
    }

    private void checkTopics() {
        TopicSizing sizing = properties.sizing().topics();
        try (var topics = new TopicAdmin(properties.bootstrapServers(), sizing)) {
            topics.check(List.of(Topics.STRUCTURED, Topics.PROOF_SEGMENTS, Topics.GENERATIONS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while checking the topics", e);
        }
    }

    /** What an earlier life of this process left. The folder is this process's alone. */
    private void clearScratch() {
        try {
            Path scratch = Files.createDirectories(properties.scratchDir());
            try (Stream<Path> folders = Files.list(scratch)) {
                for (Path folder : folders.toList()) {
                    String name = folder.getFileName().toString();
                    if (name.startsWith("shard-") || name.startsWith("compaction-")) {
                        FileSystemUtils.deleteRecursively(folder);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be used", e);
        }
    }

    /** Exports what is in the log now, by all workers of this process. */
    ExportNow.Result exportNow(Duration timeout) throws InterruptedException {
        List<ExportNow> requests = workers.stream()
                .map(worker -> {
                    var now = new ExportNow(timeout.toNanos());
                    worker.request(now);
                    return now;
                })
                .toList();
        var result = new ExportNow.Result(0, 0, 0, 0, 0);
        for (ExportNow now : requests) {
            try {
                result = result.plus(now.result().get(timeout.toMillis() * 2, TimeUnit.MILLISECONDS));
            } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
                result = result.plus(new ExportNow.Result(0, 0, 0, 1, 0));
            }
        }
        return result;
    }

    /** What the export holds of a customer now, in all shards. */
    CustomerFiles filesOf(String customerId) throws IOException {
        return CustomerFiles.read(store, customerId);
    }

    /**
     * Removes a customer's files from every shard, and states it.
     *
     * @return shards where another version was in the way all the time
     */
    List<Integer> erase(String customerId, Duration timeout) throws IOException, InterruptedException {
        var left = new TreeMap<Integer, Maintenance>();
        for (int shard = 0; shard < properties.sizing().topics().shardsMax(); shard++) {
            left.put(shard, maintenance(shard));
        }
        long end = System.nanoTime() + timeout.toNanos();
        while (!left.isEmpty() && System.nanoTime() - end < 0) {
            for (var shard : List.copyOf(left.entrySet())) {
                if (shard.getValue().erase(customerId, nowUs())) {
                    left.remove(shard.getKey());
                }
            }
            if (!left.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
        return List.copyOf(left.keySet());
    }

    private Maintenance maintenance(int shard) {
        ExportProperties.Files files = properties.maintenance();
        return new Maintenance(
                settings(),
                new Maintenance.Limits(
                        files.retentionDays(),
                        TimeUnit.MILLISECONDS.toMicros(files.compactionDelay().toMillis()),
                        TimeUnit.MILLISECONDS.toMicros(files.deletionDelay().toMillis())),
                store,
                lake,
                shard,
                metrics);
    }

    private ExportSettings settings() {
        return new ExportSettings(
                properties.cell(),
                properties.scratchDir(),
                new Rotation(
                        properties.rangeBytes().toBytes(), properties.rotation().toMillis()),
                properties.fileBytes().toBytes());
    }

    private static long nowUs() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    /** What the threads work on; each has its own, since a shard belongs to one thread. */
    private final class StoreShards implements ExportWorker.Shards {
        private final Map<Integer, Maintenance> maintenance = new ConcurrentHashMap<>();

        @Override
        public ShardExport open(int shard) throws IOException {
            return new ShardExport(settings(), store, shard, metrics);
        }

        @Override
        public boolean maintain(int shard) throws IOException {
            return maintenance
                    .computeIfAbsent(shard, ExportWorkers.this::maintenance)
                    .run(nowUs());
        }
    }

    /** Whether every worker lives, and none has a shard that fails. */
    boolean isServing() {
        return running
                && threads.stream().allMatch(Thread::isAlive)
                && workers.stream().noneMatch(ExportWorker::isFailing);
    }

    /** Whether a worker has died, which only a restart mends. */
    boolean isBroken() {
        return running && !threads.stream().allMatch(Thread::isAlive);
    }

    @Override
    public void stop() {
        running = false;
        workers.forEach(ExportWorker::stop);
        for (Thread thread : threads) {
            try {
                thread.join(STOP.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        workers.clear();
        threads.clear();
        ends.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
