package io.sallyport.export.work;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.Position;
import io.sallyport.export.core.Row;
import io.sallyport.export.core.SegmentMatcher;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.manifest.ManifestJson;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.spill.RunSorter;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.ProofSegment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The export of one shard. Rows and segments come in as they are read; when a range is due, it is claimed (intent), its
 * files are made, and its manifest is committed. An intent that is open at the start, or that another worker claimed
 * first, is finished unchanged before anything else.
 *
 * <p>Any number of these may work on one shard, in any state of life: of each version there is one intent and one
 * manifest. After {@link #finish} the reader starts again at {@link #position}. Belongs to one thread.
 */
public final class ShardExport implements AutoCloseable {
    private final ExportSettings settings;
    private final ExportMetrics metrics;
    private final ManifestChain chain;
    private final RowFiles files;
    private final Path scratch;
    private final VersionFinisher finisher;
    private final LeafEncoder leaves = new LeafEncoder(new TreeHash());

    private ManifestChain.Head head = ManifestChain.Head.NONE;
    private Optional<Intent> open = Optional.empty();
    private SegmentMatcher matcher = new SegmentMatcher(Position.START, Optional.empty());
    private RunSorter rows;
    private CoveredSegments segments;
    private KnownGenerations generations = KnownGenerations.FIRST;
    private int unprovable;
    private long firstMs;
    private long lastMs;

    /** Opens the shard where its manifests say that it stands. */
    public ShardExport(ExportSettings settings, ObjectStore store, int shard, ExportMetrics metrics)
            throws IOException {
        this.settings = settings;
        this.metrics = metrics;
        this.chain = new ManifestChain(store, shard);
        // Another process, or an earlier life of this one, may use the same folder.
        this.scratch = settings.scratch().resolve("shard-" + shard + "-" + UUID.randomUUID());
        this.files = new RowFiles(store, scratch, settings.fileBytes());
        this.finisher = new VersionFinisher(settings, store, chain, metrics);
        this.rows = new RunSorter(scratch);
        this.segments = new CoveredSegments(scratch);
        try {
            reset();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void reset() throws IOException {
        close();
        ManifestChain.State state = chain.load(head);
        while (state.open().isPresent() && state.open().get().kind() != ManifestKind.EXPORT) {
            finisher.finish(state.open().get());
            state = chain.load(state.head());
        }
        head = state.head();
        open = state.open();
        rows = new RunSorter(scratch);
        segments = new CoveredSegments(scratch);
        matcher = new SegmentMatcher(head.position(), open.map(Intent::to));
        matcher.know(generations, shard());
        firstMs = Long.MAX_VALUE;
        lastMs = Long.MIN_VALUE;
    }

    public int shard() {
        return chain.shard();
    }

    /** Where reading starts: what was read before is with the manifests. */
    public Position position() {
        return head.position();
    }

    /** The newest version. */
    public ManifestChain.Head head() {
        return head;
    }

    /**
     * A record of `structured`.
     *
     * @param appendMs when the log got it
     */
    public void row(long offset, long appendMs, byte[] value) throws IOException {
        Optional<Row> parsed = Row.parse(value);
        if (parsed.isEmpty()) {
            matcher.passed(offset);
            metrics.unreadable(shard(), offset);
            return;
        }
        Row row = parsed.get();
        Origin origin = row.origin();
        byte[] leaf = leaves.leaf(row.record());
        if (matcher.row(offset, row.generation(), origin.getPos(), origin.getRawOffset(), leaf, row.takeover())) {
            rows.add(row);
            firstMs = Math.min(firstMs, appendMs);
            lastMs = Math.max(lastMs, appendMs);
            cover();
        }
    }

    /**
     * A record of `proof-segments`.
     *
     * @throws IOException also where it is none, or does not follow the one before
     */
    public void segment(long offset, byte[] value) throws IOException {
        try {
            matcher.segment(offset, ProofSegment.parseFrom(value));
        } catch (InvalidProtocolBufferException e) {
            throw new ExportConflictException("no segment at offset " + offset + " of shard " + shard());
        } catch (IllegalStateException e) {
            throw new ExportConflictException("shard " + shard() + ": " + e.getMessage());
        }
        cover();
    }

    /** What the topic `generations` says now; before it was read, nothing may be finished. */
    public void know(KnownGenerations now) {
        generations = now;
        matcher.know(now, shard());
    }

    /** Whether {@link #settle} has something to decide. */
    public boolean isUnsettled() {
        return matcher.isUnsettled();
    }

    /**
     * Both topics were read past where they ended when the generations that are known to have ended had stopped writing: leaves
     * out what they did not prove, and takes account of takeovers whose row is lost.
     */
    public void settle() {
        int left = matcher.settle();
        if (left > 0) {
            metrics.unproved(shard(), left);
            forgetAge();
        }
        int kept = matcher.unprovable();
        if (kept > unprovable) {
            metrics.unprovable(shard(), kept);
        }
        unprovable = kept;
    }

    private void forgetAge() {
        if (matcher.uncoveredRows() == 0 && !matcher.hasNews()) {
            // Nothing waits for its segment any more.
            firstMs = Long.MAX_VALUE;
        }
    }

    /** Whether rows wait that name a generation which was never begun, as far as is known. */
    public boolean hasStrangers() {
        return matcher.hasStrangers();
    }

    /**
     * What was told last of the generations was read after everything below an offset was: what names a generation that was not
     * begun by then is not waited for.
     */
    public void disown(long below) {
        matcher.disown(below);
        forgetAge();
    }

    /** Offset behind the last record that came. */
    public long readTo() {
        return matcher.readTo();
    }

    /** Whether {@link #beginsAt} is needed to go on. */
    public boolean wantsBeginning() {
        return matcher.wantsBeginning();
    }

    /**
     * Tells the first offset that the log still has.
     *
     * @throws IOException where retention took what stands between rows that were read: they have to be read again
     */
    public void beginsAt(long structuredOffset) throws IOException {
        matcher.beginsAt(structuredOffset);
        cover();
        if (matcher.isCutShort() && (open.isPresent() || !matcher.hasNews())) {
            throw new IOException("retention overtook the reading of shard " + shard());
        }
    }

    /** The log was read to an end behind which nothing is pending: rows that did not come are gone. */
    public void rowsEnded() throws IOException {
        matcher.rowsEnded();
        cover();
    }

    private void cover() throws IOException {
        if (matcher.uncoveredSegments() == 0) {
            return;
        }
        for (ProofSegment segment : matcher.covered()) {
            segments.add(segment);
        }
    }

    /**
     * Whether {@link #finish} has something to do.
     *
     * @param caughtUp whether nothing waits in the log
     * @param now whether whatever is there is wanted
     */
    public boolean isDue(long nowMs, boolean caughtUp, boolean now) {
        if (open.isPresent()) {
            return matcher.reached();
        }
        return matcher.hasNews()
                && (now
                        || matcher.isCutShort()
                        || firstMs == Long.MAX_VALUE
                        || settings.rotation().isDue(rows.bytes(), firstMs, lastMs, nowMs, caughtUp));
    }

    /**
     * Claims the range that is covered, or takes the intent that is open, makes its files and commits it.
     *
     * @param nowUs for the intent
     * @return the manifest; empty where another worker claimed the version first. The reader goes to {@link #position} in
     *     each case
     */
    public Optional<Manifest> finish(long nowUs) throws IOException {
        Intent intent;
        if (open.isPresent()) {
            intent = open.get();
        } else {
            refresh();
            intent = new Intent(
                    ManifestKind.EXPORT,
                    settings.cell(),
                    shard(),
                    head.version() + 1,
                    head.sha256(),
                    nowUs,
                    head.position(),
                    matcher.position(),
                    List.of(),
                    "");
            if (!matcher.hasNews() || !chain.claim(intent)) {
                reset();
                return Optional.empty();
            }
        }
        Manifest manifest = make(intent);
        reset();
        return Optional.of(manifest);
    }

    /** Versions that others added leave the range as it is, unless they moved the shard. */
    private void refresh() throws IOException {
        ManifestChain.State state = chain.load(head);
        if (state.open().isPresent() || !state.head().position().equals(head.position())) {
            reset();
        } else {
            head = state.head();
        }
    }

    private Manifest make(Intent intent) throws IOException {
        // By what the whole range tells: the rest is put right by a version of its own, see Maintenance.
        CurrentRecords current = intent.to().current();
        RowFiles.Written written = files.write(
                intent,
                sink -> rows.sorted(row -> {
                    if (isIn(intent, row)) {
                        sink.accept(row);
                    }
                }),
                row -> current.of(row.origin()) == CurrentRecords.Standing.CURRENT);
        if (written.rows() != matcher.coveredRows()) {
            throw new IllegalStateException(
                    "shard " + shard() + ": wrote " + written.rows() + " of " + matcher.coveredRows() + " rows");
        }
        var manifest = new Manifest(
                intent.kind(),
                intent.cell(),
                intent.shard(),
                intent.version(),
                intent.previous(),
                Sha256.of(ManifestJson.encode(intent)),
                intent.atUs(),
                intent.from().spansTo(intent.to()),
                written.rows(),
                matcher.missing(),
                matcher.holes(),
                written.files(),
                List.of(),
                files.proof(intent, segments.finish()),
                intent.to(),
                "");
        if (chain.commit(manifest)) {
            metrics.committed(manifest);
            metrics.foreign(shard(), matcher.foreign(intent.to().structuredOffset()));
            return manifest;
        }
        finisher.removeOrphans(manifest.version(), written.created());
        return chain.manifest(manifest.version()).orElse(manifest);
    }

    private boolean isIn(Intent intent, Row row) {
        Origin origin = row.origin();
        return intent.contains(row.generation(), origin.getPos())
                && matcher.isProved(row.generation(), origin.getPos(), () -> leaves.leaf(row.record()));
    }

    /** What rows in memory cost. */
    public long bufferedBytes() {
        return rows.bufferedBytes();
    }

    /** Rows of the range so far, as they are in the log. */
    public long bytes() {
        return rows.bytes();
    }

    /** Moves the rows from memory to the local disk. */
    public void spill() throws IOException {
        rows.spill();
    }

    /** Age of the oldest row of the range, by its append; 0 where there is none. */
    public long ageMs(long nowMs) {
        return firstMs == Long.MAX_VALUE ? 0 : Math.max(0, nowMs - firstMs);
    }

    /** Rows that wait for their segment. */
    public int uncoveredRows() {
        return matcher.uncoveredRows();
    }

    /** Of these, the rows whose segment can still be expected. */
    public int awaitingRows() {
        return matcher.awaitingRows();
    }

    /** Of these, the rows that are far from what is proved, although nothing before them is gone. */
    public int strayRows() {
        return matcher.strayRows();
    }

    /** Segments that wait for their rows. */
    public int uncoveredSegments() {
        return matcher.uncoveredSegments();
    }

    @Override
    public void close() throws IOException {
        segments.close();
        rows.close();
    }
}
