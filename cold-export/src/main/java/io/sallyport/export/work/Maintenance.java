package io.sallyport.export.work;

import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What is done to the files of a shard after their export: takeovers of generations, compaction of closed dates, expiry,
 * erasure. Each step is one version of the shard's manifest, claimed like any other. Belongs to one thread.
 */
public final class Maintenance {
    private static final long US_PER_DAY = TimeUnit.DAYS.toMicros(1);
    /** The clocks of normalizer and export agree to this. */
    private static final long CLOCKS_APART_US = TimeUnit.HOURS.toMicros(1);

    /** Deletions of versions older than this were done by somebody, or by an earlier life. */
    private static final long DELETIONS_REMEMBERED_US = 7 * US_PER_DAY;

    private final ExportSettings settings;
    private final Limits limits;
    private final ObjectStore store;
    private final LakeListing lake;
    private final ManifestChain chain;
    private final VersionFinisher finisher;
    private final MisplacedRows misplaced;
    private final Catalog catalog = new Catalog();
    private final Deque<Deletion> deletions = new ArrayDeque<>();
    private ManifestChain.Head head = ManifestChain.Head.NONE;
    /** Files that were missing or damaged; they are looked at again when the store is listed. */
    private final Set<String> damaged = new HashSet<>();

    /** Files that were looked through for these takeovers, so that the next version does not begin again. */
    private final Set<String> inPlace = new HashSet<>();

    private List<Position.Taken> lookedThroughFor = List.of();

    /**
     * @param retentionDays how long rows are kept after their ingest date
     * @param compactionDelayUs how long after its end a date is taken for closed: longer than rows take to be exported
     * @param deletionDelayUs how long files stay that a compaction replaced, for those who read them
     */
    public record Limits(int retentionDays, long compactionDelayUs, long deletionDelayUs) {}

    private record Deletion(long dueUs, List<FileEntry> files) {}

    public Maintenance(ExportSettings settings, Limits limits, ObjectStore store, int shard, ExportMetrics metrics) {
        this(settings, limits, store, new LakeListing(store), shard, metrics);
    }

    /** @param lake that the shards of a process share */
    public Maintenance(
            ExportSettings settings,
            Limits limits,
            ObjectStore store,
            LakeListing lake,
            int shard,
            ExportMetrics metrics) {
        this.lake = lake;
        this.settings = settings;
        this.limits = limits;
        this.store = store;
        this.chain = new ManifestChain(store, shard);
        this.misplaced = new MisplacedRows(store, settings.scratch());
        this.finisher = new VersionFinisher(settings, store, chain, metrics);
    }

    /**
     * Does the next thing there is to do.
     *
     * @return whether there was one; the shard then has a new version
     */
    public boolean run(long nowUs) throws IOException {
        if (!load(nowUs)) {
            return false;
        }
        delete(nowUs);
        List<String> listed = lake.take(chain.shard(), nowUs);
        if (!listed.isEmpty()) {
            sweep(listed);
            damaged.clear();
        }
        if (!head.position().takeovers().equals(catalog.applied()) && supersede(nowUs)) {
            return true;
        }
        String firstKept = PartitionPath.date(nowUs - limits.retentionDays() * US_PER_DAY);
        List<FileEntry> expired = catalog.before(firstKept);
        if (!expired.isEmpty()) {
            return version(ManifestKind.TRIM, expired, firstKept, nowUs);
        }
        List<FileEntry> small = catalog.compactable(
                PartitionPath.date(nowUs - limits.compactionDelayUs()),
                settings.fileBytes() / 2,
                settings.rotation().maxBytes(),
                file -> !damaged.contains(file.path()));
        return !small.isEmpty()
                && rewrite(ManifestKind.COMPACTION, small, small.get(0).date(), nowUs);
    }

    /**
     * Puts rows where they belong now that a generation has taken over, as many files as a range may hold at a time; a version
     * that finds none to move ends it, and says that every row is in its place. What other rows share a file with a misplaced
     * one are read and written again; a file that is right as it is stays. As long as a file cannot be read, it does not end.
     *
     * @return whether the shard has a new version
     */
    private boolean supersede(long nowUs) throws IOException {
        List<Position.Taken> all = head.position().takeovers();
        long sinceUs = all.stream()
                .filter(taken -> !catalog.applied().contains(taken))
                .mapToLong(Position.Taken::sinceUs)
                .min()
                .orElse(0);
        if (!all.equals(lookedThroughFor)) {
            inPlace.clear();
            lookedThroughFor = all;
        }
        var inputs = new ArrayList<FileEntry>();
        boolean unread = false;
        long bytes = 0;
        for (FileEntry file : catalog.maybeMisplaced(all, sinceUs - CLOCKS_APART_US)) {
            if (inPlace.contains(file.path()) || isInPlace(file)) {
                inPlace.add(file.path());
                continue;
            }
            if (damaged.contains(file.path())) {
                unread = true;
                continue;
            }
            if (!inputs.isEmpty() && bytes + file.size() > settings.rotation().maxBytes()) {
                break;
            }
            inputs.add(file);
            bytes += file.size();
        }
        String generations = all.stream()
                .filter(taken -> !catalog.applied().contains(taken))
                .map(taken -> Long.toString(taken.generation()))
                .collect(Collectors.joining(","));
        return (!inputs.isEmpty() || !unread) && rewrite(ManifestKind.SUPERSEDE, inputs, generations, nowUs);
    }

    private boolean isInPlace(FileEntry file) throws IOException {
        if (damaged.contains(file.path())) {
            return false;
        }
        try {
            return !misplaced.anyIn(file, head.position().current());
        } catch (ExportConflictException e) {
            damaged(file, String.valueOf(e.getMessage()));
            return false;
        }
    }

    private void damaged(FileEntry file, String fault) {
        damaged.add(file.path());
        finisher.damaged(fault);
    }

    /**
     * Reads the files, and claims the version only where all of them can be read: otherwise it is for a later one without those
     * that cannot.
     */
    private boolean rewrite(ManifestKind kind, List<FileEntry> files, String subject, long nowUs) throws IOException {
        try (VersionFinisher.Inputs inputs = finisher.inputs()) {
            boolean whole = true;
            for (FileEntry file : files) {
                Optional<String> fault = inputs.add(file);
                fault.ifPresent(what -> damaged(file, what));
                whole &= fault.isEmpty();
            }
            if (!whole) {
                return false;
            }
            Intent intent = intent(kind, files, subject, nowUs);
            if (!chain.claim(intent)) {
                return false;
            }
            finisher.finish(intent, inputs);
            return true;
        }
    }

    /**
     * Removes what the shard holds of a customer, and states it; and what waits for its deletion, or was left behind, at once.
     *
     * @return whether nothing of the customer is left; false where another version is in the way
     */
    public boolean erase(String customerId, long nowUs) throws IOException {
        if (!load(nowUs)) {
            return false;
        }
        List<FileEntry> files = catalog.of(customerId);
        if (!files.isEmpty() && !version(ManifestKind.ERASURE, files, customerId, nowUs)) {
            return false;
        }
        for (String folder : List.of(PartitionPath.ofCustomer(customerId), PartitionPath.ofVoidCustomer(customerId))) {
            for (String path : store.list(folder, "")) {
                if (isLeftOver(path)) {
                    store.delete(path);
                }
            }
        }
        return true;
    }

    /** @return whether the next version is free */
    private boolean load(long nowUs) throws IOException {
        ManifestChain.State state = chain.load(head);
        head = state.head();
        while (catalog.nextVersion() <= head.version()) {
            long version = catalog.nextVersion();
            Manifest manifest = chain.manifest(version)
                    .orElseThrow(() ->
                            new IOException("manifest " + version + " of shard " + chain.shard() + " is missing"));
            catalog.apply(manifest);
            if (!manifest.removed().isEmpty() && manifest.atUs() > nowUs - DELETIONS_REMEMBERED_US) {
                boolean replaced =
                        manifest.kind() == ManifestKind.COMPACTION || manifest.kind() == ManifestKind.SUPERSEDE;
                long delay = replaced ? limits.deletionDelayUs() : 0;
                deletions.add(new Deletion(manifest.atUs() + delay, manifest.removed()));
            }
        }
        Optional<Intent> open = state.open();
        if (open.isPresent() && open.get().kind() != ManifestKind.EXPORT) {
            finisher.finish(open.get());
        }
        return open.isEmpty();
    }

    private void delete(long nowUs) throws IOException {
        // What is due later may stand before what is due now.
        for (Deletion deletion : List.copyOf(deletions)) {
            if (deletion.dueUs() <= nowUs) {
                for (FileEntry file : deletion.files()) {
                    store.delete(file.path());
                }
                deletions.remove(deletion);
            }
        }
    }

    /**
     * Removes files that a version made and a later one took away, and that are there again: whoever made them was stopped
     * in the middle of a version that others finished, and then had no time to see it.
     */
    private void sweep(List<String> paths) throws IOException {
        Set<String> waiting = new HashSet<>();
        deletions.forEach(deletion -> deletion.files().forEach(file -> waiting.add(file.path())));
        for (String path : paths) {
            if (isLeftOver(path) && !waiting.contains(path)) {
                store.delete(path);
            }
        }
    }

    /** Whether a version of this shard made a file, and the shard does not hold it. */
    private boolean isLeftOver(String path) {
        OptionalLong version = Intent.versionOf(chain.shard(), path);
        return version.isPresent() && version.getAsLong() <= head.version() && !catalog.isLive(path);
    }

    private boolean version(ManifestKind kind, List<FileEntry> inputs, String subject, long nowUs) throws IOException {
        Intent intent = intent(kind, inputs, subject, nowUs);
        if (!chain.claim(intent)) {
            return false;
        }
        finisher.finish(intent);
        return true;
    }

    private Intent intent(ManifestKind kind, List<FileEntry> inputs, String subject, long nowUs) {
        return new Intent(
                kind,
                settings.cell(),
                chain.shard(),
                head.version() + 1,
                head.sha256(),
                nowUs,
                head.position(),
                head.position(),
                inputs,
                subject);
    }
}
