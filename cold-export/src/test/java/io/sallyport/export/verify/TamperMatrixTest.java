package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.verify.Verdict.Tampered;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever somebody does to the record is found, and it is said where: in the log, in the export, and in a proof. */
class TamperMatrixTest {
    private static final int EVENTS = 240;
    /** A record in the middle of a segment, of the half that the pin covers. */
    private static final int POS = 40;

    private static final int SEGMENT = 2;

    @TempDir
    private static Path scratch;

    private static final Map<RecordedOrGenerated, TamperBench> BENCHES = new EnumMap<>(RecordedOrGenerated.class);

    private interface Harm {
        void to(TamperBench bench) throws Exception;
    }

    private interface Forgery {
        RecordProof of(RecordProof good, TamperBench bench) throws Exception;
    }

    @AfterAll
    static void forget() {
        BENCHES.clear();
    }

    private static TamperBench bench(RecordedOrGenerated data) throws Exception {
        if (!BENCHES.containsKey(data)) {
            BENCHES.put(data, TamperBench.of(scratch, data.events(EVENTS)));
        }
        TamperBench bench = BENCHES.get(data).copy();
        return bench;
    }

    private static <T> Stream<Arguments> each(Map<String, T> harms) {
        return Stream.of(RecordedOrGenerated.values())
                .flatMap(data ->
                        harms.entrySet().stream().map(harm -> Arguments.of(data, harm.getKey(), harm.getValue())));
    }

    static Stream<Arguments> toTheLog() {
        Map<String, Harm> harms = new LinkedHashMap<>();
        harms.put("changed payload", bench -> bench.records.set(POS, changed(bench.records.get(POS))));
        harms.put("removed record", bench -> bench.records.remove(POS));
        harms.put("added record", bench -> bench.records.add(POS, changed(bench.records.get(POS))));
        harms.put("duplicated record", bench -> bench.records.add(POS + 1, bench.records.get(POS)));
        harms.put("reordered records", bench -> Collections.swap(bench.records, POS, POS + 1));
        harms.put("generation mixed in", bench -> bench.records.set(POS, ofGeneration(bench.records.get(POS), 1)));
        harms.put(
                "cut head of the records",
                bench -> bench.records.subList(0, POS).clear());
        harms.put(
                "cut tail of the records",
                bench -> bench.records.subList(EVENTS - 3, EVENTS).clear());
        harms.put("cut head of the segments", bench -> bench.segments.remove(0));
        harms.put("cut tail of the segments", bench -> bench.segments.remove(bench.segments.size() - 1));
        harms.put("swapped segments", bench -> Collections.swap(bench.segments, SEGMENT, SEGMENT + 1));
        harms.put("removed segment", bench -> bench.segments.remove(SEGMENT));
        harms.put("changed leaf in a segment", bench -> {
            ProofSegment good = bench.segments.get(SEGMENT);
            byte[] leaves = good.getLeaves().toByteArray();
            leaves[9] ^= 1;
            bench.segments.set(
                    SEGMENT,
                    good.toBuilder().setLeaves(ByteString.copyFrom(leaves)).build());
        });
        harms.put("fork that the right key signed", bench -> {
            TamperBench fork = fork(bench);
            bench.records.clear();
            bench.records.addAll(fork.records);
            bench.segments.clear();
            bench.segments.addAll(fork.segments);
            bench.newest = fork.newest;
        });
        return each(harms);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("toTheLog")
    void shouldFindItInTheLog(RecordedOrGenerated data, String name, Harm harm) throws Exception {
        TamperBench bench = bench(data);
        assertThat(bench.verifyLog().exit()).isZero();
        harm.to(bench);
        assertNamed(bench.verifyLog());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("data")
    void shouldNameTheChangedRecord(RecordedOrGenerated data) throws Exception {
        TamperBench bench = bench(data);
        bench.records.set(POS, changed(bench.records.get(POS)));
        assertThat(bench.verifyLog())
                .isEqualTo(new Tampered(
                        TamperBench.SHARD, SEGMENT, bench.identity(POS), "the record at pos " + POS + " was changed"));
        TamperBench other = bench(data);
        FileEntry file = other.files().get(0);
        List<StructuredRecord> rows = other.rows(file);
        StructuredRecord row = rows.get(7);
        rows.set(7, changed(row));
        other.rewrite(file, rows);
        assertThat(other.verifyExport())
                .isEqualTo(new Tampered(
                        TamperBench.SHARD,
                        segmentOf(other, row),
                        TreeVerifier.identity(row),
                        "a file was changed: " + file.path()));
        rows.remove(7);
        other.rewrite(file, rows);
        assertThat(other.verifyExport())
                .isEqualTo(new Tampered(
                        TamperBench.SHARD,
                        segmentOf(other, row),
                        "the record at pos " + row.getEvent().getOrigin().getPos(),
                        "a file was changed: " + file.path()));
    }

    static Stream<RecordedOrGenerated> data() {
        return Stream.of(RecordedOrGenerated.values());
    }

    static Stream<Arguments> toTheExport() {
        Map<String, Harm> harms = new LinkedHashMap<>();
        harms.put("changed row", rows(rows -> rows.set(5, changed(rows.get(5)))));
        harms.put("removed row", rows(rows -> rows.remove(5)));
        harms.put("added row", rows(rows -> rows.add(5, changed(rows.get(5)))));
        harms.put("duplicated row", rows(rows -> rows.add(5, rows.get(5))));
        harms.put("reordered rows", rows(rows -> Collections.swap(rows, 5, 6)));
        harms.put("row of another generation", rows(rows -> rows.set(5, ofGeneration(rows.get(5), 1))));
        harms.put(
                "removed file", bench -> bench.store.delete(bench.files().get(0).path()));
        harms.put("cut file", bench -> {
            String path = bench.files().get(0).path();
            byte[] bytes = bench.read(path);
            bench.replace(path, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        });
        harms.put("swapped files", bench -> {
            String one = bench.files().get(0).path();
            String two = bench.files().get(1).path();
            byte[] bytes = bench.read(one);
            bench.replace(one, bench.read(two));
            bench.replace(two, bytes);
        });
        harms.put("added file", bench -> {
            FileEntry file = bench.files().get(0);
            bench.store.create(file.path().replace("-0000.parquet", "-0077.parquet"), bench.read(file.path()));
        });
        harms.put("cut tail of the manifests", bench -> {
            bench.store.delete("_manifests/shard=00003/00000000000000000001.manifest.json");
            bench.store.delete("_manifests/shard=00003/00000000000000000001.intent.json");
        });
        harms.put(
                "cut head of the manifests",
                bench -> bench.store.delete("_manifests/shard=00003/00000000000000000000.manifest.json"));
        harms.put(
                "changed manifest",
                bench -> bench.flip("_manifests/shard=00003/00000000000000000000.manifest.json", 99));
        harms.put(
                "changed newest manifest",
                bench -> bench.flip("_manifests/shard=00003/00000000000000000001.manifest.json", 1));
        harms.put("changed intent", bench -> bench.flip("_manifests/shard=00003/00000000000000000001.intent.json", 30));
        harms.put(
                "changed file of segments",
                bench -> bench.flip("_proof/shard=00003/00000000000000000001.segments", 200));
        harms.put(
                "removed file of segments",
                bench -> bench.store.delete("_proof/shard=00003/00000000000000000001.segments"));
        harms.put("swapped files of segments", bench -> {
            byte[] zero = bench.read("_proof/shard=00003/00000000000000000000.segments");
            bench.replace(
                    "_proof/shard=00003/00000000000000000000.segments",
                    bench.read("_proof/shard=00003/00000000000000000001.segments"));
            bench.replace("_proof/shard=00003/00000000000000000001.segments", zero);
        });
        harms.put("fork that the right key signed", bench -> {
            TamperBench fork = fork(bench);
            byte[] heads = bench.read(
                    ManifestHeads.key(bench.pinned.manifests().orElseThrow().bytes()));
            bench.store.list("", "").forEach(bench.store::delete);
            fork.store.list("", "").forEach(key -> bench.store.create(key, fork.read(key)));
            bench.store.create(
                    ManifestHeads.key(bench.pinned.manifests().orElseThrow().bytes()), heads);
            bench.newest = fork.newest;
        });
        return each(harms);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("toTheExport")
    void shouldFindItInTheExport(RecordedOrGenerated data, String name, Harm harm) throws Exception {
        TamperBench bench = bench(data);
        assertThat(bench.verifyExport().exit()).as("%s", bench.verifyExport()).isZero();
        harm.to(bench);
        assertNamed(bench.verifyExport());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("data")
    void shouldFindAChangedByteInEveryPartOfAFile(RecordedOrGenerated data) throws Exception {
        TamperBench bench = bench(data);
        FileEntry file = bench.files().get(0);
        byte[] good = bench.read(file.path());
        var places = new TreeSet<Integer>();
        Collections.addAll(places, 0, 3, good.length - 1, good.length - 5);
        for (int at = 0; at < good.length; at += good.length / 16) {
            places.add(at);
        }
        int footer = good.length
                - 8
                - java.nio.ByteBuffer.wrap(good)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .getInt(good.length - 8);
        // Schema, statistics and offsets stand all over it.
        for (int at = footer; at < good.length - 8; at += (good.length - 8 - footer) / 16) {
            places.add(at);
        }
        boolean bloomed = false;
        try (var reader = new ParquetFileReader(
                new LocalInputFile(bench.local(good)),
                org.apache.parquet.ParquetReadOptions.builder(new PlainParquetConfiguration())
                        .build())) {
            for (BlockMetaData block : reader.getFooter().getBlocks()) {
                for (ColumnChunkMetaData column : block.getColumns()) {
                    places.add((int) column.getFirstDataPageOffset() + 2);
                    if (column.getBloomFilterOffset() > 0) {
                        bloomed = true;
                        places.add((int) column.getBloomFilterOffset() + 40);
                    }
                    if (column.getColumnIndexReference() != null) {
                        places.add((int) column.getColumnIndexReference().getOffset() + 2);
                    }
                }
            }
        }
        assertThat(bloomed).as("the file has a bloom filter").isTrue();
        for (int at : places) {
            bench.flip(file.path(), at);
            Tampered found = assertNamed(bench.verifyExport());
            assertThat(found.why())
                    .as("byte %d of %d", at, good.length)
                    .isEqualTo("a file was changed: " + file.path());
            bench.replace(file.path(), good);
        }
        assertThat(bench.verifyExport().exit()).isZero();
    }

    /** They are of all shards together: none can be named. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("data")
    void shouldFindChangedHeads(RecordedOrGenerated data) throws Exception {
        TamperBench bench = bench(data);
        String key = ManifestHeads.key(bench.newest.manifests().orElseThrow().bytes());
        bench.flip(key, 20);
        assertThat(bench.verifyExport().exit()).isEqualTo(1);
        assertThat(bench.verifyExport().toString()).contains(key);
    }

    static Stream<Arguments> ofAProof() {
        Map<String, Forgery> forgeries = new LinkedHashMap<>();
        forgeries.put(
                "changed payload",
                (good, bench) ->
                        good.toBuilder().setRecord(changed(good.getRecord())).build());
        forgeries.put(
                "proof for another position",
                (good, bench) ->
                        good.toBuilder().setRecord(bench.records.get(POS + 1)).build());
        forgeries.put(
                "another leaf's place",
                (good, bench) -> good.toBuilder().setLeaf(good.getLeaf() ^ 1).build());
        // As if the node above the leaf were the leaf.
        forgeries.put(
                "inner node as a leaf",
                (good, bench) -> good.toBuilder()
                        .setLeaf(good.getLeaf() / 2)
                        .setLeaves((good.getLeaves() + 1) / 2)
                        .clearLeafPath()
                        .addAllLeafPath(good.getLeafPathList().subList(1, good.getLeafPathCount()))
                        .build());
        forgeries.put(
                "inner node as a segment",
                (good, bench) -> good.toBuilder()
                        .clearSegmentPath()
                        .addAllSegmentPath(good.getSegmentPathList().subList(1, good.getSegmentPathCount()))
                        .build());
        forgeries.put(
                "of another generation",
                (good, bench) -> good.toBuilder()
                        .setRecord(ofGeneration(good.getRecord(), 1))
                        .build());
        forgeries.put(
                "fork that the right key signed", (good, bench) -> fork(bench).proof(POS));
        return each(forgeries);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("ofAProof")
    void shouldFindItInAProof(RecordedOrGenerated data, String name, Forgery forgery) throws Exception {
        TamperBench bench = bench(data);
        RecordProof good = bench.proof(POS);
        assertThat(bench.verify(good).exit()).isZero();
        assertNamed(bench.verify(forgery.of(good, bench)));
    }

    private static Tampered assertNamed(Verdict verdict) {
        assertThat(verdict).isInstanceOf(Tampered.class);
        var found = (Tampered) verdict;
        assertThat(found.exit()).isEqualTo(1);
        assertThat(found.shard()).as("%s", found).isEqualTo(TamperBench.SHARD);
        assertThat(found.segment()).as("%s", found).isBetween(0L, 99L);
        assertThat(found.identity()).as("%s", found).matches(".*( epoch \\d+ seq \\d+|pos \\d+)");
        return found;
    }

    private interface RowHarm {
        void to(List<StructuredRecord> rows);
    }

    private static Harm rows(RowHarm harm) {
        return bench -> {
            FileEntry file = bench.files().get(0);
            List<StructuredRecord> rows = new ArrayList<>(bench.rows(file));
            harm.to(rows);
            bench.rewrite(file, rows);
        };
    }

    private static long segmentOf(TamperBench bench, StructuredRecord row) {
        long pos = row.getEvent().getOrigin().getPos();
        return bench.segments.stream()
                .filter(segment -> pos >= segment.getFirstPos() && pos < segment.getFirstPos() + segment.getCount())
                .findFirst()
                .orElseThrow()
                .getIndex();
    }

    private static StructuredRecord changed(StructuredRecord record) {
        byte[] payload = record.getEvent().getPayload().toByteArray();
        payload[payload.length / 2] ^= 1;
        return record.toBuilder()
                .setEvent(record.getEvent().toBuilder().setPayload(ByteString.copyFrom(payload)))
                .build();
    }

    private static StructuredRecord ofGeneration(StructuredRecord record, int generation) {
        var other = record.toBuilder();
        other.getEventBuilder().getOriginBuilder().setGeneration(generation);
        return other.build();
    }

    /** The same history but for its second record. */
    private static TamperBench fork(TamperBench bench) throws Exception {
        var events = new ArrayList<io.sallyport.proto.log.v1.Envelope.Builder>();
        bench.records.forEach(record -> events.add(record.getEvent().toBuilder()));
        events.set(1, changed(bench.records.get(1)).getEvent().toBuilder());
        return TamperBench.of(scratch, events);
    }
}
