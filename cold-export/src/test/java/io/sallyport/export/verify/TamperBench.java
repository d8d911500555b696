package io.sallyport.export.verify;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Row;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.parquet.PartitionWriter;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.MemoryStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** One shard as a log and as an export of two versions, pinned after the first and signed after both. */
final class TamperBench {
    static final int SHARD = TestExport.SHARD;
    private static final int SHARDS = 8;
    private static final int PER_SEGMENT = 16;

    final Path scratch;
    final List<StructuredRecord> records;
    final List<ProofSegment> segments;
    final MemoryStore store;
    final Checkpoint pinned;
    Checkpoint newest;

    private TamperBench(
            Path scratch,
            List<StructuredRecord> records,
            List<ProofSegment> segments,
            MemoryStore store,
            Checkpoint pinned,
            Checkpoint newest) {
        this.scratch = scratch;
        this.records = records;
        this.segments = segments;
        this.store = store;
        this.pinned = pinned;
        this.newest = newest;
    }

    static TamperBench of(Path scratch, List<Envelope.Builder> events) throws IOException {
        var log = new TestShard(SHARD);
        var store = new MemoryStore();
        var export = new TestExport(scratch);
        Checkpoint pinned = null;
        for (int i = 0; i < events.size(); i++) {
            log.add(events.get(i));
            if (i % PER_SEGMENT == PER_SEGMENT - 1) {
                log.close();
            }
            if (i == events.size() / 2) {
                log.close();
                export.run(store, log, 10_000);
                pinned = checkpoint(store, log);
            }
        }
        log.close();
        export.run(store, log, 10_000);
        var segments = new ArrayList<ProofSegment>();
        for (TestShard.Stored stored : log.proof()) {
            segments.add(ProofSegment.parseFrom(stored.value()));
        }
        return new TamperBench(
                scratch, new ArrayList<>(log.records()), segments, store, pinned, checkpoint(store, log));
    }

    private static Checkpoint checkpoint(MemoryStore store, TestShard log) throws IOException {
        var trees = new LogTrees(Ledger.CELL);
        for (TestShard.Stored stored : log.proof()) {
            trees.add(parse(stored), 1).ifPresent(why -> {
                throw new IllegalStateException(why);
            });
        }
        ManifestHeads heads = ManifestHeads.read(store, SHARDS);
        store.create(ManifestHeads.key(heads.root()), heads.text().getBytes(StandardCharsets.UTF_8));
        return trees.checkpoint(Optional.of(new Hash(heads.root())));
    }

    private static ProofSegment parse(TestShard.Stored stored) throws InvalidProtocolBufferException {
        return ProofSegment.parseFrom(stored.value());
    }

    /** The same, to do harm to. */
    TamperBench copy() {
        var copied = new MemoryStore();
        store.list("", "").forEach(key -> copied.create(key, store.read(key).orElseThrow()));
        return new TamperBench(scratch, new ArrayList<>(records), new ArrayList<>(segments), copied, pinned, newest);
    }

    Verdict verifyLog() {
        return new LogVerifier(
                        Ledger.CELL, Optional.of(Ledger.pin(pinned)), Optional.of(newest), key -> Optional.empty())
                .verify(List.of(new LogVerifier.Shard(SHARD, segments.iterator(), records.iterator())));
    }

    Verdict verifyExport() throws IOException {
        return new ExportVerifier(store, scratch, Ledger.CELL, Optional.of(Ledger.pin(pinned)), Optional.of(newest))
                .verify();
    }

    Verdict verify(RecordProof proof) {
        return ProofVerifier.verify(proof, Ledger.pin(pinned));
    }

    RecordProof proof(int pos) {
        String note = SignedNote.sign(newest.text(), Ledger.KEY, Ledger.PAIR.getPrivate());
        return Prover.prove(records.get(pos), segments, newest, note, List.of(pinned))
                .orElseThrow();
    }

    String identity(int pos) {
        return TreeVerifier.identity(records.get(pos));
    }

    /** Files of rows, those with the most rows first. */
    List<FileEntry> files() throws IOException {
        return TestExport.catalog(store, SHARD).files().stream()
                .sorted((a, b) -> Long.compare(b.rows(), a.rows()))
                .toList();
    }

    byte[] read(String key) {
        return store.read(key).orElseThrow();
    }

    void replace(String key, byte[] content) {
        store.delete(key);
        store.create(key, content);
    }

    void flip(String key, int at) {
        byte[] bytes = read(key);
        bytes[at] ^= 1;
        replace(key, bytes);
    }

    List<StructuredRecord> rows(FileEntry file) throws IOException {
        Path local = local(read(file.path()));
        var rows = new ArrayList<StructuredRecord>();
        try (var reader = new RowFileReader(local)) {
            for (var row = reader.next(); row.isPresent(); row = reader.next()) {
                rows.add(row.get());
            }
        }
        return rows;
    }

    /** A Parquet file as the export writes them, under the same path, with other rows. */
    void rewrite(FileEntry file, List<StructuredRecord> rows) throws IOException {
        Path folder = Files.createDirectory(scratch.resolve(UUID.randomUUID().toString()));
        var made = new ArrayList<byte[]>();
        try (var writer = new PartitionWriter(
                folder, 1 << 30, (path, customer, date, part, count) -> made.add(Files.readAllBytes(path)))) {
            for (StructuredRecord row : rows) {
                writer.write(Row.parse(row.toByteArray()).orElseThrow());
            }
            writer.finish();
        }
        replace(file.path(), made.get(0));
    }

    Path local(byte[] bytes) throws IOException {
        return Files.write(scratch.resolve(UUID.randomUUID().toString()), bytes);
    }
}
