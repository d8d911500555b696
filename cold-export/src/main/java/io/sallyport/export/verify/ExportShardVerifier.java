package io.sallyport.export.verify;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.SegmentTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.LogTree;
import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.Position;
import io.sallyport.export.core.Row;
import io.sallyport.export.manifest.ChainReader;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestHeads;
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
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Checks the export of one shard: its manifests, its segments, its files and their rows. Holds the shard's leaves. */
final class ExportShardVerifier {
    private final ObjectStore store;
    private final Path scratch;
    private final String cell;
    private final int shard;
    private final List<ManifestHeads.Line> bound;
    private final Anchors anchors;
    private final TreeHash hash = new TreeHash();
    private final LeafEncoder encoder = new LeafEncoder(hash);
    private final Map<Integer, Generation> generations = new TreeMap<>(Integer::compareUnsigned);
    private final Catalog catalog = new Catalog();
    private final Set<String> named = new HashSet<>();
    private final Set<Position.Taken> stated = new HashSet<>();
    private Position position = Position.START;
    private CurrentRecords current = new CurrentRecords();
    private boolean followed;
    private long gone;
    private long covered;
    private long uncovered;
    private long versions;

    /** One log tree, and which of its records were met. */
    private static final class Generation {
        private final LogTree tree;
        private final List<byte[]> leaves = new ArrayList<>();
        private final BitSet met = new BitSet();

        Generation(LogTree tree) {
            this.tree = tree;
        }
    }

    ExportShardVerifier(
            ObjectStore store, Path scratch, String cell, int shard, List<ManifestHeads.Line> bound, Anchors anchors) {
        this.store = store;
        this.scratch = scratch;
        this.cell = cell;
        this.shard = shard;
        this.bound = bound;
        this.anchors = anchors;
    }

    List<Verdict.ShardReport> verify() throws IOException, TamperedException {
        chain();
        // While the last takeover is not followed yet, files of before and after it stand beside each other.
        followed = catalog.applied().equals(position.takeovers());
        current = position.current();
        for (FileEntry file : catalog.files()) {
            rows(file);
        }
        takeovers();
        long met = generations.values().stream()
                .mapToLong(generation -> generation.met.cardinality())
                .sum();
        if (met != covered - gone) {
            throw tampered(-1, firstMissing(), (covered - gone - met) + " rows are missing, and no statement says why");
        }
        var reports = new ArrayList<Verdict.ShardReport>();
        generations.forEach((number, generation) -> reports.add(new Verdict.ShardReport(
                shard,
                number,
                generation.tree.size(),
                Math.max(0, generation.met.nextSetBit(0)),
                generation.tree.nextPos(),
                uncovered)));
        return reports;
    }

    /** Files that a manifest names: those that hold the rows, and those that wait for their deletion. */
    Set<String> named() {
        return named;
    }

    long versions() {
        return versions;
    }

    private void chain() throws IOException, TamperedException {
        var chain = new ManifestChain(store, shard);
        long newest =
                bound.stream().mapToLong(ManifestHeads.Line::version).max().orElse(-1);
        ManifestChain.Head head = chain.load().head();
        versions = head.version() + 1;
        if (head.version() < newest) {
            throw tampered(-1, "", "manifests: expected " + (newest + 1) + " found " + versions);
        }
        Optional<String> fault = ChainReader.read(chain, head.version(), head.sha256(), (manifest, sha256) -> {
            for (ManifestHeads.Line line : bound) {
                if (line.version() == manifest.version() && !line.sha256().equals(sha256)) {
                    throw tampered(
                            -1,
                            "",
                            "manifests: version " + line.version() + " is not the one that the checkpoint binds");
                }
            }
            if (!manifest.cell().equals(cell)) {
                throw tampered(-1, "", "manifests: version " + manifest.version() + " is of another cell");
            }
            apply(manifest, manifest.version() > newest);
        });
        if (fault.isPresent()) {
            throw tampered(-1, "", "manifests: " + fault.get());
        }
    }

    private void apply(Manifest manifest, boolean beyond) throws IOException, TamperedException {
        long added = manifest.added().stream().mapToLong(FileEntry::rows).sum();
        long removed = manifest.removed().stream().mapToLong(FileEntry::rows).sum();
        switch (manifest.kind()) {
            case EXPORT -> {
                segments(manifest);
                gone += manifest.missing().stream()
                        .mapToLong(range -> range.toPos() - range.fromPos())
                        .sum();
                uncovered += beyond ? added : 0;
            }
            case COMPACTION, SUPERSEDE -> {
                if (added != removed) {
                    throw tampered(
                            -1,
                            "",
                            "the " + manifest.kind() + " in version " + manifest.version()
                                    + " changed the number of rows");
                }
            }
            case TRIM, ERASURE -> gone += removed - added;
        }
        catalog.apply(manifest);
        position = manifest.position();
        manifest.added().forEach(file -> named.add(file.path()));
    }

    private void segments(Manifest manifest) throws IOException, TamperedException {
        String path = manifest.proof().path();
        byte[] bytes = store.read(path).orElse(new byte[0]);
        if (bytes.length != manifest.proof().size()
                || !Sha256.of(bytes).equals(manifest.proof().sha256())) {
            throw tampered(-1, path, "the file of segments was changed: " + path);
        }
        var in = new ByteArrayInputStream(bytes);
        for (ProofSegment segment = ProofSegment.parseDelimitedFrom(in);
                segment != null;
                segment = ProofSegment.parseDelimitedFrom(in)) {
            Generation generation = generations.computeIfAbsent(
                    segment.getGeneration(),
                    number -> new Generation(LogTree.empty(new TreeKey(cell, shard, number), hash)));
            Optional<String> fault = generation.tree.add(segment);
            if (fault.isPresent()) {
                throw tampered(segment.getIndex(), "", fault.get());
            }
            anchors.check(generation.tree);
            generation.leaves.addAll(SegmentTree.leaves(segment));
            covered += segment.getCount();
        }
    }

    private void rows(FileEntry file) throws IOException, TamperedException {
        Path local = Files.createTempFile(scratch, "verify", ".parquet");
        try {
            Files.delete(local);
            if (!store.download(file.path(), local)) {
                throw tampered(-1, file.path(), "a file is missing: " + file.path());
            }
            if (Files.size(local) != file.size() || !Sha256.of(local).equals(file.sha256())) {
                throw tampered(-1, file.path(), "a file was changed: " + file.path());
            }
            long rows = 0;
            try (var reader = new RowFileReader(local)) {
                for (Optional<StructuredRecord> row = reader.next(); row.isPresent(); row = reader.next()) {
                    row(row.get(), file);
                    rows++;
                }
            }
            if (rows != file.rows()) {
                throw tampered(-1, file.path(), "expected " + file.rows() + " rows, found " + rows);
            }
        } finally {
            Files.deleteIfExists(local);
        }
    }

    private void row(StructuredRecord record, FileEntry file) throws TamperedException {
        var origin = TreeVerifier.origin(record);
        String identity = TreeVerifier.identity(record);
        Generation generation = generations.get(origin.getGeneration());
        long pos = origin.getPos();
        if (origin.getShard() != shard || generation == null || pos < 0 || pos >= generation.leaves.size()) {
            throw tampered(-1, identity, "a row that no exported segment covers");
        }
        Optional<Row> read = Row.parse(record.toByteArray());
        if (read.filter(row ->
                        row.customerId().equals(file.customer()) && row.date().equals(file.date()))
                .isEmpty()) {
            throw tampered(-1, identity, "a row in the file of another customer or date");
        }
        if (followed && (current.of(origin) == CurrentRecords.Standing.CURRENT) == file.holdsVoid()) {
            throw tampered(
                    -1,
                    identity,
                    file.holdsVoid()
                            ? "a row that is current lies among those that are not"
                            : "a row of a generation that is not current here lies among those that are");
        }
        read.flatMap(Row::takeover).ifPresent(stated::add);
        if (!Arrays.equals(encoder.leaf(record), generation.leaves.get((int) pos))) {
            throw tampered(-1, identity, "the row at pos " + pos + " was changed");
        }
        if (generation.met.get((int) pos)) {
            throw tampered(-1, identity, "the row at pos " + pos + " stands twice");
        }
        generation.met.set((int) pos);
    }

    /** What decides which rows are current must itself be proved, as long as it is there. */
    private void takeovers() throws TamperedException {
        for (Position.Taken taken : position.takeovers()) {
            if (gone == 0 && !stated.contains(taken)) {
                throw tampered(-1, "", "no record states the takeover of generation " + taken.generation());
            }
        }
    }

    private String firstMissing() {
        for (Map.Entry<Integer, Generation> generation : generations.entrySet()) {
            int pos = generation.getValue().met.nextClearBit(0);
            if (pos < generation.getValue().leaves.size()) {
                return "the record at pos " + pos;
            }
        }
        return "";
    }

    private TamperedException tampered(long segment, String identity, String why) {
        return new TamperedException(new Verdict.Tampered(shard, segment, identity, why));
    }
}
