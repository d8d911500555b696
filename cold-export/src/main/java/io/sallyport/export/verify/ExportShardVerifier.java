package io.sallyport.export.verify;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ChainReader;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestJson;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Checks the export of one shard: its manifests, its segments, its files and their rows. A statement takes rows away only
 * where a checkpoint covers it; one beyond is told as {@link #unsigned}, since whoever can write to the store can write it.
 */
final class ExportShardVerifier {
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private static final String PROOF = "_proof/shard=%05d/%020d.segments";

    private final ObjectStore store;
    private final String cell;
    private final int shard;
    private final Bound bound;
    private final Anchors anchors;
    private final TreeHash hash = new TreeHash();
    private final ExportedTrees trees;
    private final ExportedFiles files;
    private final Catalog catalog = new Catalog();
    private final Map<String, FileEntry> live = new HashMap<>();
    private final Map<String, Removed> removed = new HashMap<>();
    private final List<String> unsigned = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private Map<Integer, Long> pinnedSizes = Map.of();
    private Position position = Position.START;
    private OptionalLong openVersion = OptionalLong.empty();
    private long headUs;
    /** Rows of files that a statement took away. */
    private long gone;

    private long lost;

    /**
     * What checkpoints bind of the shard's manifests.
     *
     * @param pinned version that the pinned checkpoint binds; -1 where there is none
     * @param newest highest version that one binds; -1 where there is none
     * @param sha256 of the manifests that they bind, by version
     */
    record Bound(long pinned, long newest, Map<Long, String> sha256) {
        static final Bound NOTHING = new Bound(-1, -1, Map.of());
    }

    /** A file that a version took away, and that may wait for its deletion. */
    record Removed(FileEntry file, Manifest by) {}

    ExportShardVerifier(ObjectStore store, Path scratch, String cell, int shard, Bound bound, Anchors anchors) {
        this.store = store;
        this.cell = cell;
        this.shard = shard;
        this.bound = bound;
        this.anchors = anchors;
        this.trees = new ExportedTrees(cell, shard, anchors, hash);
        this.files = new ExportedFiles(store, scratch, shard, trees, hash);
    }

    /** @param newest version of the shard's newest manifest; -1 where there is none */
    List<Verdict.ShardReport> verify(long newest) throws IOException, TamperedException {
        chain(newest);
        // While the last takeover is not followed yet, files of before and after it stand beside each other.
        boolean followed = catalog.applied().equals(position.takeovers());
        files.verify(catalog.files(), position.current(), followed, gone == 0);
        if (trees.absent() != gone) {
            throw absent(trees.absent() - gone);
        }
        takeovers();
        if (gone > 0) {
            notes.add("shard " + name() + ": " + gone + " rows were taken away by statements");
        }
        if (lost > 0) {
            notes.add("shard " + name() + ": " + lost + " rows were lost to retention before they were exported");
        }
        var reports = new ArrayList<Verdict.ShardReport>();
        for (ExportedTrees.Tree tree : trees.all()) {
            reports.add(new Verdict.ShardReport(
                    shard,
                    tree.log.key().generation(),
                    tree.log.size(),
                    Math.max(0, tree.met.nextSetBit(0)),
                    tree.signedTo,
                    tree.log.nextPos() - tree.signedTo));
        }
        return reports;
    }

    boolean isLive(String path) {
        return live.containsKey(path);
    }

    Optional<Removed> removed(String path) {
        return Optional.ofNullable(removed.get(path));
    }

    /** Index of the segment that covers what claims to be a row; -1 where none does. */
    long segmentOf(Origin origin) {
        return trees.tree(origin.getGeneration())
                .map(tree -> tree.segmentOf(origin.getPos()))
                .orElse(-1L);
    }

    /** Version that is claimed and not finished. */
    OptionalLong openVersion() {
        return openVersion;
    }

    /** When the newest version was claimed. */
    long headUs() {
        return headUs;
    }

    /** Rows that are not there, by the word of versions that no checkpoint covers. */
    List<String> unsigned() {
        return unsigned;
    }

    /** What is there to know besides. */
    List<String> notes() {
        return notes;
    }

    /**
     * Trees that grew beyond what the pinned checkpoint binds of the manifests, and did not come as far as it says they were:
     * nothing shows yet that they are the ones it means.
     */
    List<String> unreached() {
        var unreached = new ArrayList<String>();
        for (ExportedTrees.Tree tree : trees.all()) {
            TreeKey key = tree.log.key();
            long pinned = anchors.pin()
                    .map(pin -> pin.checkpoint().trees().get(key))
                    .map(TreeState::size)
                    .orElse(0L);
            if (tree.log.size() < pinned && tree.log.size() > pinnedSizes.getOrDefault(key.generation(), 0L)) {
                unreached.add("shard " + name() + " generation " + Integer.toUnsignedString(key.generation())
                        + ": the pin has " + pinned + " segments, the export has " + tree.log.size());
            }
        }
        return unreached;
    }

    private void chain(long newest) throws IOException, TamperedException {
        var chain = new ManifestChain(store, shard);
        if (newest < bound.newest()) {
            throw next("manifests: expected " + (bound.newest() + 1) + " found " + (newest + 1));
        }
        String head = newest < 0
                ? Manifest.GENESIS
                : chain.manifestBytes(newest).map(Sha256::of).orElse("");
        Optional<String> fault = ChainReader.read(chain, newest, head, (manifest, sha256) -> {
            if (!bound.sha256().getOrDefault(manifest.version(), sha256).equals(sha256)) {
                throw next("manifests: version " + manifest.version() + " is not the one that the checkpoint binds");
            }
            if (!manifest.cell().equals(cell)) {
                throw next("manifests: version " + manifest.version() + " is of another cell");
            }
            apply(manifest);
        });
        if (fault.isPresent()) {
            throw next("manifests: " + fault.get());
        }
        open(chain, newest + 1, head);
    }

    /** What a worker is about to make. */
    private void open(ManifestChain chain, long version, String previous) throws IOException, TamperedException {
        Optional<byte[]> bytes = chain.intentBytes(version);
        if (bytes.isEmpty()) {
            return;
        }
        Intent intent;
        try {
            intent = ManifestJson.intent(bytes.get());
        } catch (IOException e) {
            throw next("manifests: the intent of " + version + " cannot be read");
        }
        if (intent.version() != version
                || intent.shard() != shard
                || !intent.cell().equals(cell)
                || !intent.previous().equals(previous)) {
            throw next("manifests: the intent of " + version + " is another one");
        }
        openVersion = OptionalLong.of(version);
    }

    private void apply(Manifest manifest) throws IOException, TamperedException {
        long added = rows(manifest.added());
        long taken = rows(manifest.removed());
        boolean covered = manifest.version() <= bound.newest();
        switch (manifest.kind()) {
            case EXPORT -> {
                require(manifest.removed().isEmpty(), manifest, "took files away");
                segments(manifest, covered);
            }
            case COMPACTION, SUPERSEDE -> require(added == taken, manifest, "changed the number of rows");
            case TRIM, ERASURE -> {
                require(added == 0, manifest, "added files");
                gone += taken;
                if (!covered && taken > 0) {
                    unsigned.add("shard " + name() + ": " + taken + " rows, taken away by the " + manifest.kind()
                            + " in version " + manifest.version());
                }
            }
        }
        for (FileEntry file : manifest.removed()) {
            require(file.equals(live.remove(file.path())), manifest, "took away what was not there: " + file.path());
            removed.put(file.path(), new Removed(file, manifest));
        }
        for (FileEntry file : manifest.added()) {
            require(
                    isOwn(manifest, file) && live.put(file.path(), file) == null,
                    manifest,
                    "added what it did not make: " + file.path());
        }
        catalog.apply(manifest);
        position = manifest.position();
        headUs = manifest.atUs();
        if (bound.sha256().containsKey(manifest.version())) {
            trees.signed();
        }
        if (manifest.version() == bound.pinned()) {
            pinnedSizes = trees.sizes();
        }
    }

    /** A path that says what the manifest says, so that it leads nowhere else. */
    private boolean isOwn(Manifest manifest, FileEntry file) {
        String path = file.path();
        int name = path.lastIndexOf('/') + 1;
        return DATE.matcher(file.date()).matches()
                && Intent.versionOf(shard, path).equals(OptionalLong.of(manifest.version()))
                && (path.substring(0, name).equals(PartitionPath.of(file.customer(), file.date()))
                        || path.substring(0, name).equals(PartitionPath.ofVoid(file.customer(), file.date())));
    }

    private static long rows(List<FileEntry> files) {
        return files.stream().mapToLong(FileEntry::rows).sum();
    }

    private void require(boolean holds, Manifest manifest, String what) throws TamperedException {
        if (!holds) {
            throw next("manifests: the " + manifest.kind() + " in version " + manifest.version() + " " + what);
        }
    }

    private void segments(Manifest manifest, boolean covered) throws IOException, TamperedException {
        String path = manifest.proof().path();
        require(path.equals(PROOF.formatted(shard, manifest.version())), manifest, "names another file of segments");
        byte[] bytes = store.read(path).orElse(new byte[0]);
        if (bytes.length != manifest.proof().size()
                || !Sha256.of(bytes).equals(manifest.proof().sha256())) {
            throw next("the file of segments was changed: " + path);
        }
        Map<Integer, Long> from = new HashMap<>();
        trees.all().forEach(tree -> from.put(tree.log.key().generation(), tree.log.nextPos()));
        var in = new ByteArrayInputStream(bytes);
        try {
            for (ProofSegment segment = ProofSegment.parseDelimitedFrom(in);
                    segment != null;
                    segment = ProofSegment.parseDelimitedFrom(in)) {
                trees.add(segment);
            }
        } catch (InvalidProtocolBufferException e) {
            throw next("the file of segments cannot be read: " + path);
        }
        long before = lost;
        for (PosRange range : manifest.missing()) {
            lost(range, from.getOrDefault((int) range.generation(), 0L));
        }
        if (!manifest.holes().isEmpty()) {
            PosRange hole = manifest.holes().get(0);
            throw gone(hole, trees.tree((int) hole.generation()));
        }
        if (!covered && lost > before) {
            unsigned.add("shard " + name() + ": " + (lost - before) + " rows, missing by the word of version "
                    + manifest.version());
        }
    }

    /** Retention takes what stands before everything else, and nothing from between. */
    private void lost(PosRange range, long from) throws TamperedException {
        Optional<ExportedTrees.Tree> tree = trees.tree((int) range.generation());
        if (range.fromPos() != from
                || range.toPos() <= from
                || tree.isEmpty()
                || range.toPos() > tree.get().leaves.size()
                || tree.get().lost.get((int) from)) {
            throw gone(range, tree);
        }
        tree.get().lost.set((int) from, (int) range.toPos());
        lost += range.toPos() - from;
    }

    private TamperedException gone(PosRange range, Optional<ExportedTrees.Tree> tree) {
        return tampered(
                tree.map(found -> found.segmentOf(range.fromPos())).orElse(-1L),
                ExportedTrees.record(range.fromPos()),
                "the rows from pos " + range.fromPos() + " to " + range.toPos()
                        + " were gone before they were exported, from among others: retention does not do that");
    }

    /** What decides which rows are current must itself be proved, as long as it is there. */
    private void takeovers() throws TamperedException {
        for (Position.Taken taken : position.takeovers()) {
            if (gone == 0 && lost == 0 && !files.stated().contains(taken)) {
                throw tampered(-1, "", "no record states the takeover of generation " + taken.generation());
            }
        }
    }

    private TamperedException absent(long rows) {
        for (ExportedTrees.Tree tree : trees.all()) {
            long pos = tree.firstAbsent();
            if (pos >= 0) {
                return tampered(
                        tree.segmentOf(pos),
                        ExportedTrees.record(pos),
                        rows > 0
                                ? rows + " rows are missing, and no statement says why"
                                : -rows + " rows are there that a statement took away");
            }
        }
        return tampered(-1, "", "rows are there that a statement took away");
    }

    /** Where the chain does not hold, nothing vouches for what comes behind the last version that does. */
    private TamperedException next(String why) {
        for (ExportedTrees.Tree tree : trees.all()) {
            return tampered(tree.log.size(), ExportedTrees.record(tree.log.nextPos()), why);
        }
        return tampered(0, ExportedTrees.record(0), why);
    }

    private String name() {
        return Integer.toUnsignedString(shard);
    }

    private TamperedException tampered(long segment, String identity, String why) {
        return new TamperedException(new Verdict.Tampered(shard, segment, identity, why));
    }
}
