package io.sallyport.export.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The files of a shard that hold its rows now: what its manifests added and did not remove. */
public final class Catalog {
    private final Map<String, FileEntry> files = new LinkedHashMap<>();
    private final Map<String, Made> made = new HashMap<>();
    private List<Position.Taken> applied = List.of();
    private long nextVersion;

    /**
     * How a file came about.
     *
     * @param us when its version was claimed
     * @param takeovers that the places of its rows follow
     */
    private record Made(long us, List<Position.Taken> takeovers) {}

    /**
     * Takes the next manifest into account.
     *
     * @throws IllegalStateException where it is another one
     */
    public void apply(Manifest manifest) {
        if (manifest.version() != nextVersion) {
            throw new IllegalStateException("manifest " + nextVersion + " is missing, found " + manifest.version());
        }
        manifest.removed().forEach(file -> {
            files.remove(file.path());
            made.remove(file.path());
        });
        manifest.added().forEach(file -> {
            files.put(file.path(), file);
            made.put(file.path(), new Made(manifest.atUs(), manifest.position().takeovers()));
        });
        // One that moved rows may have left others to the next; one that found none to move is the last.
        if (manifest.kind() == ManifestKind.SUPERSEDE
                && manifest.removed().isEmpty()
                && manifest.statement().isEmpty()) {
            applied = manifest.position().takeovers();
        }
        nextVersion++;
    }

    /** Takeovers that the places of all rows follow. */
    public List<Position.Taken> applied() {
        return applied;
    }

    /**
     * Files that may hold rows in the wrong place: those that were not made by these takeovers, of versions that were claimed
     * at or after a time. Older ones hold only rows that were in the log before.
     */
    public List<FileEntry> maybeMisplaced(List<Position.Taken> takeovers, long sinceUs) {
        return files.values().stream()
                .filter(file -> {
                    Made how = made.get(file.path());
                    return how == null
                            || (how.us() >= sinceUs && !how.takeovers().equals(takeovers));
                })
                .toList();
    }

    public long nextVersion() {
        return nextVersion;
    }

    public Collection<FileEntry> files() {
        return List.copyOf(files.values());
    }

    public boolean isLive(String path) {
        return files.containsKey(path);
    }

    /** Files of a customer. */
    public List<FileEntry> of(String customerId) {
        return files.values().stream()
                .filter(file -> file.customer().equals(customerId))
                .toList();
    }

    /** @param firstKept the earliest date that stays, {@code YYYY-MM-DD} */
    public List<FileEntry> before(String firstKept) {
        return files.values().stream()
                .filter(file -> file.date().compareTo(firstKept) < 0)
                .toList();
    }

    /**
     * The next compaction: the small files of the earliest closed date on which a customer has more than one.
     *
     * @param closedBefore dates before it get no more rows
     * @param smallBytes files below it are worth merging
     * @param maxBytes of inputs together, which bounds the work of one version
     * @param readable whether a file can be merged, as far as is known
     * @return empty where there is nothing to do
     */
    public List<FileEntry> compactable(
            String closedBefore, long smallBytes, long maxBytes, Predicate<FileEntry> readable) {
        var dates = new TreeMap<String, Map<String, List<FileEntry>>>();
        for (FileEntry file : files.values()) {
            if (!file.holdsVoid()
                    && file.date().compareTo(closedBefore) < 0
                    && file.size() < smallBytes
                    && readable.test(file)) {
                dates.computeIfAbsent(file.date(), date -> new TreeMap<>())
                        .computeIfAbsent(file.customer(), customer -> new ArrayList<>())
                        .add(file);
            }
        }
        for (Map<String, List<FileEntry>> customers : dates.values()) {
            var inputs = new ArrayList<FileEntry>();
            long bytes = 0;
            for (List<FileEntry> small : customers.values()) {
                var taken = new ArrayList<FileEntry>();
                for (FileEntry file : small) {
                    if (bytes + file.size() > maxBytes) {
                        break;
                    }
                    taken.add(file);
                    bytes += file.size();
                }
                // One file alone becomes no larger.
                if (taken.size() > 1) {
                    inputs.addAll(taken);
                }
            }
            if (!inputs.isEmpty()) {
                return inputs;
            }
        }
        return List.of();
    }
}
