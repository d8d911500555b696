package io.sallyport.export.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.Rotation;
import io.sallyport.export.core.Row;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Exports a {@link TestShard} as the reader of the log does, and reads the result as a verifier does. */
public final class TestExport {
    public static final int SHARD = 3;
    private static final AtomicLong CLOCK_US = new AtomicLong(TestShard.NOW_US + 1_000_000);

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final ExportMetrics metrics = new ExportMetrics(registry, new Alerts(registry));
    final ExportSettings settings;
    private KnownGenerations known = KnownGenerations.FIRST;

    public TestExport(Path scratch) {
        this(scratch, 1 << 20);
    }

    /** @param rangeBytes most bytes that one version works on */
    TestExport(Path scratch, long rangeBytes) {
        this(new ExportSettings("test", scratch, new Rotation(rangeBytes, 600_000), 128 << 20));
    }

    TestExport(ExportSettings settings) {
        this.settings = settings;
    }

    /** What the topic `generations` says from now on. */
    void know(KnownGenerations now) {
        known = now;
    }

    /** One life of a worker: exports what there is, at most {@code most} rows a range. */
    public void run(ObjectStore store, TestShard log, int most) throws IOException {
        try (var shard = new ShardExport(settings, store, SHARD, metrics)) {
            shard.know(known);
            // A worker that claims and claims and gets nowhere is a failure, and no endless test.
            for (int rounds = 0; round(shard, log, most); rounds++) {
                assertThat(rounds).isLessThan(1_000);
                assertThat(shard.position()).isEqualTo(shard.head().position());
            }
        }
    }

    private static boolean round(ShardExport shard, TestShard log, int most) throws IOException {
        long fromRow = shard.position().structuredOffset();
        long fromSegment = shard.position().proofOffset();
        int rows = 0;
        int segment = 0;
        List<TestShard.Stored> segments = log.proof().stream()
                .filter(stored -> stored.offset() >= fromSegment)
                .toList();
        for (TestShard.Stored row : log.structured()) {
            if (row.offset() < fromRow) {
                continue;
            }
            shard.row(row.offset(), 0, row.value());
            // Segments come a little later than their rows, or a little earlier.
            if (++rows % 3 == 0 && segment < segments.size()) {
                shard.segment(
                        segments.get(segment).offset(), segments.get(segment++).value());
            }
            if (rows >= most && shard.isDue(0, true, true)) {
                return finish(shard);
            }
        }
        while (segment < segments.size()) {
            shard.segment(
                    segments.get(segment).offset(), segments.get(segment++).value());
        }
        shard.rowsEnded();
        if (shard.wantsBeginning()) {
            shard.beginsAt(log.beginning());
        }
        if (shard.isUnsettled()) {
            shard.settle();
        }
        return shard.isDue(0, true, true) && finish(shard);
    }

    private static boolean finish(ShardExport shard) throws IOException {
        shard.finish(CLOCK_US.incrementAndGet());
        return true;
    }

    Maintenance maintenance(ObjectStore store, int retentionDays) {
        return new Maintenance(settings, new Maintenance.Limits(retentionDays, 0, 0), store, SHARD, metrics);
    }

    /** Compacts and deletes what is there to compact and to delete. */
    public void maintain(ObjectStore store, int shard) throws IOException {
        long later = TestShard.NOW_US + 36_500 * 86_400_000_000L;
        var maintenance = new Maintenance(settings, new Maintenance.Limits(36_500, 0, 0), store, shard, metrics);
        while (maintenance.run(later)) {
            later++;
        }
    }

    public boolean erase(ObjectStore store, String customerId) throws IOException {
        return maintenance(store, 36_500).erase(customerId, TestShard.NOW_US);
    }

    /** Every manifest, with its links checked. */
    static List<Manifest> chain(ObjectStore store) throws IOException {
        return chain(store, SHARD);
    }

    public static List<Manifest> chain(ObjectStore store, int shard) throws IOException {
        var chain = new ManifestChain(store, shard);
        var manifests = new ArrayList<Manifest>();
        String previous = Manifest.GENESIS;
        for (Optional<byte[]> bytes = chain.manifestBytes(0);
                bytes.isPresent();
                bytes = chain.manifestBytes(manifests.size())) {
            Manifest manifest = chain.manifest(manifests.size()).orElseThrow();
            assertThat(manifest.previous()).isEqualTo(previous);
            assertThat(manifest.version()).isEqualTo(manifests.size());
            assertThat(manifest.intent())
                    .isEqualTo(Sha256.of(chain.intentBytes(manifest.version()).orElseThrow()));
            previous = Sha256.of(bytes.get());
            manifests.add(manifest);
        }
        assertThat(chain.load().head().version()).isEqualTo(manifests.size() - 1);
        return manifests;
    }

    static Catalog catalog(ObjectStore store) throws IOException {
        return catalog(store, SHARD);
    }

    public static Catalog catalog(ObjectStore store, int shard) throws IOException {
        var catalog = new Catalog();
        chain(store, shard).forEach(catalog::apply);
        return catalog;
    }

    /** Every row of the files that are there now, each file checked against its manifest, by generation and pos. */
    static List<StructuredRecord> rows(ObjectStore store, Path scratch) throws IOException {
        return rows(store, SHARD, scratch);
    }

    private static List<StructuredRecord> rows(ObjectStore store, int shard, Path scratch) throws IOException {
        return files(store, shard, scratch, "");
    }

    /** The same of the files under a folder alone. */
    static List<StructuredRecord> files(ObjectStore store, int shard, Path scratch, String root) throws IOException {
        var rows = new ArrayList<StructuredRecord>();
        for (FileEntry entry : catalog(store, shard).files()) {
            if (!entry.path().startsWith(root)) {
                continue;
            }
            Path file = Files.createTempFile(scratch, "read", ".parquet");
            assertThat(store.download(entry.path(), file)).as(entry.path()).isTrue();
            assertThat(Files.size(file)).isEqualTo(entry.size());
            assertThat(Sha256.of(file)).isEqualTo(entry.sha256());
            long count = 0;
            try (var reader = new RowFileReader(file)) {
                for (var row = reader.next(); row.isPresent(); row = reader.next()) {
                    rows.add(row.get());
                    count++;
                }
            }
            assertThat(count).isEqualTo(entry.rows()).isPositive();
            Files.delete(file);
        }
        rows.sort(Comparator.comparingLong((StructuredRecord row) -> origin(row).getGeneration())
                .thenComparingLong(row -> origin(row).getPos()));
        return rows;
    }

    private static io.sallyport.proto.log.v1.Origin origin(StructuredRecord row) {
        return Row.parse(row.toByteArray()).orElseThrow().origin();
    }

    /** Files of rows that no manifest knows. */
    private static List<String> orphans(ObjectStore store, int shard) throws IOException {
        Catalog catalog = catalog(store, shard);
        return store.list("structured/", "").stream()
                .filter(path -> path.contains("/s%05d-".formatted(shard)))
                .filter(path -> !catalog.isLive(path))
                .toList();
    }

    /** Leaf hashes by generation and pos, from the files beside. */
    static Map<Long, List<byte[]>> leaves(ObjectStore store) throws IOException {
        return leaves(store, SHARD);
    }

    private static Map<Long, List<byte[]>> leaves(ObjectStore store, int shard) throws IOException {
        var leaves = new HashMap<Long, List<byte[]>>();
        var indexes = new HashMap<Long, Long>();
        for (Manifest manifest : chain(store, shard)) {
            if (manifest.proof().path().isEmpty()) {
                continue;
            }
            byte[] bytes = store.read(manifest.proof().path()).orElseThrow();
            assertThat(Sha256.of(bytes)).isEqualTo(manifest.proof().sha256());
            var in = new ByteArrayInputStream(bytes);
            for (ProofSegment segment = ProofSegment.parseDelimitedFrom(in);
                    segment != null;
                    segment = ProofSegment.parseDelimitedFrom(in)) {
                long generation = segment.getGeneration();
                List<byte[]> all = leaves.computeIfAbsent(generation, g -> new ArrayList<>());
                assertThat(segment.getIndex()).isEqualTo(indexes.getOrDefault(generation, 0L));
                assertThat(segment.getFirstPos()).isEqualTo(all.size());
                assertThat(SegmentTree.fault(new TreeHash(), segment)).isEmpty();
                indexes.put(generation, segment.getIndex() + 1);
                all.addAll(SegmentTree.leaves(segment));
            }
        }
        return leaves;
    }

    /** Each row once, unchanged, under its leaf; no file that is not accounted for. */
    public static void assertComplete(ObjectStore store, TestShard log, Path scratch) throws IOException {
        List<StructuredRecord> rows = rows(store, log.shard(), scratch);
        assertThat(rows).isEqualTo(log.records());
        assertThat(orphans(store, log.shard())).isEmpty();
        var encoder = new LeafEncoder(new TreeHash());
        List<byte[]> leaves = leaves(store, log.shard()).getOrDefault(0L, List.of());
        assertThat(leaves).hasSameSizeAs(rows);
        for (int i = 0; i < rows.size(); i++) {
            assertThat(encoder.leaf(rows.get(i))).isEqualTo(leaves.get(i));
        }
    }
}
