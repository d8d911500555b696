package io.sallyport.export.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.work.TestExport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes on the same shards, killed and stopped while rows come: each row is in the files once. */
class KilledWorkersIT {
    private static final List<Integer> SHARDS = List.of(1, 2);

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private int started;

    private Process start() throws IOException {
        Process process = ExportProcess.start(
                TestBroker.shared().bootstrapServers(), folder.resolve("lake"), folder.resolve("scratch-" + started++));
        processes.add(process);
        return process;
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void shouldExportEachRowOnceWhoeverDies() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        Path lake = folder.resolve("lake");
        var store = new LocalStore(lake);
        Path scratch = Files.createDirectories(folder.resolve("read"));
        start();
        Process sleeper = start();
        for (int round = 0; round < 5; round++) {
            publish(random);
            awaitVersion(store, random);
            Process killed = start();
            publish(random);
            signal(sleeper, "STOP");
            awaitVersion(store, random);
            processes.get(0).destroyForcibly().waitFor();
            processes.remove(0);
            publish(random);
            signal(sleeper, "CONT");
            sleeper = killed;
        }
        publish(random);
        for (int shard : SHARDS) {
            var log = TestTopics.shard(shard).log();
            await("seed " + seed)
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> new ManifestChain(store, shard)
                            .load().head().position().trees().stream()
                                    .anyMatch(tree ->
                                            tree.nextPos() == log.records().size()));
        }
        // Compactions may still be on their way.
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            for (int shard : SHARDS) {
                assertThat(new ManifestChain(store, shard).load().open()).isEmpty();
            }
        });
        end();
        for (int shard : SHARDS) {
            // A process that was killed may have left what nobody asked for any more.
            new TestExport(scratch).maintain(store, shard);
            TestExport.assertComplete(store, TestTopics.shard(shard).log(), scratch);
        }
    }

    private static void publish(Random random) {
        for (int shard : SHARDS) {
            var topics = TestTopics.shard(shard);
            topics.log().addSome(random, 50 + random.nextInt(200));
            topics.publish();
        }
    }

    /** Something was exported since: so what happens next meets a worker in the middle of things. */
    private static void awaitVersion(LocalStore store, Random random) throws IOException {
        var chain = new ManifestChain(store, SHARDS.get(random.nextInt(SHARDS.size())));
        long before = chain.load().head().version();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> chain.load().head().version() > before);
    }
}
