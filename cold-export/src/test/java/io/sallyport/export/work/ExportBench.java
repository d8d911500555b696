package io.sallyport.export.work;

import com.google.protobuf.ByteString;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Rotation;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.store.LocalStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * How fast one worker exports, and what files come of it: {@code ExportBench FOLDER MEGABYTES PAYLOAD_BYTES TENANTS}. The
 * rows come from memory; sorting, leaf hashes, Parquet and the local folder are what production does.
 */
public final class ExportBench {
    private static final long BUFFER_BYTES = 64L << 20;

    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long nanos;
    private long cpuNanos;
    private long peakBytes;

    private interface Work {
        void run() throws IOException;
    }

    private ExportBench() {}

    public static void main(String[] args) throws IOException {
        new ExportBench()
                .run(
                        Path.of(args[0]),
                        Long.parseLong(args[1]) << 20,
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]));
    }

    private void run(Path folder, long bytes, int payloadBytes, int tenants) throws IOException {
        var random = new Random(1);
        List<ByteString> payloads = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            payloads.add(payload(random, payloadBytes));
        }
        var meters = new SimpleMeterRegistry();
        var settings = new ExportSettings(
                "bench",
                Files.createDirectories(folder.resolve("scratch")),
                new Rotation(4L << 30, 600_000),
                128L << 20);
        try (var store = new LocalStore(folder.resolve("lake"));
                var shard = new ShardExport(
                        settings, store, TestExport.SHARD, new ExportMetrics(meters, new Alerts(meters)))) {
            var log = new TestShard(TestExport.SHARD);
            long done = 0;
            for (long seq = 1; done < bytes; seq++) {
                log.add(TestShard.event("tenant-" + random.nextInt(tenants), "s-" + random.nextInt(1_000), seq)
                        .setPayload(payloads.get(random.nextInt(payloads.size()))));
                TestShard.Stored row = log.structured().remove(log.structured().size() - 1);
                // The log in memory shall not grow with what is exported.
                log.structured().add(new TestShard.Stored(row.offset(), new byte[0]));
                log.records().clear();
                done += row.value().length;
                measure(() -> {
                    shard.row(row.offset(), 0, row.value());
                    if (shard.bufferedBytes() > BUFFER_BYTES) {
                        shard.spill();
                    }
                });
                segments(shard, log);
            }
            log.close();
            segments(shard, log);
            measure(() -> shard.finish(TestShard.NOW_US));
            print(done, tenants, TestExport.chain(store).get(0).added());
        }
    }

    private void segments(ShardExport shard, TestShard log) throws IOException {
        for (TestShard.Stored segment : List.copyOf(log.proof())) {
            measure(() -> shard.segment(segment.offset(), segment.value()));
        }
        log.proof().clear();
    }

    private void measure(Work work) throws IOException {
        long cpuBefore = system.getProcessCpuTime();
        long before = System.nanoTime();
        work.run();
        nanos += System.nanoTime() - before;
        cpuNanos += system.getProcessCpuTime() - cpuBefore;
        Runtime runtime = Runtime.getRuntime();
        peakBytes = Math.max(peakBytes, runtime.totalMemory() - runtime.freeMemory());
    }

    private void print(long bytes, int tenants, List<FileEntry> files) {
        long[] sizes = files.stream().mapToLong(FileEntry::size).sorted().toArray();
        System.out.printf(
                "%d MB of %d tenants: %.0f MB/s, %.0f MB per CPU second, heap at most %d MB%n",
                bytes >> 20, tenants, bytes / 1e6 / (nanos / 1e9), bytes / 1e6 / (cpuNanos / 1e9), peakBytes >> 20);
        System.out.printf(
                "%d files: smallest %d KB, median %d KB, largest %d KB%n",
                sizes.length, sizes[0] >> 10, sizes[sizes.length / 2] >> 10, sizes[sizes.length - 1] >> 10);
    }

    /** Bytes that compress to about a third, as telemetry does. */
    private static ByteString payload(Random random, int bytes) {
        var words = new byte[64][];
        for (int i = 0; i < words.length; i++) {
            words[i] = new byte[4 + random.nextInt(12)];
            random.nextBytes(words[i]);
        }
        var out = ByteString.newOutput(bytes);
        while (out.size() < bytes) {
            byte[] word = random.nextInt(4) == 0
                    ? Long.toHexString(random.nextLong()).getBytes(StandardCharsets.US_ASCII)
                    : words[random.nextInt(words.length)];
            out.write(word, 0, Math.min(word.length, bytes - out.size()));
        }
        return out.toByteString();
    }
}
