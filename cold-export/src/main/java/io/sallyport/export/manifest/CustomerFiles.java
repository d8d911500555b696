package io.sallyport.export.manifest;

import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the export holds of one customer: what an erasure would remove.
 *
 * @param files that the manifests name, by path
 * @param others paths that lie in the customer's folders and that no manifest names: files that a compaction replaced and that are
 *     deleted soon, or the remains of a worker that was stopped
 */
public record CustomerFiles(String customer, List<FileEntry> files, List<String> others) {
    public CustomerFiles {
        files = List.copyOf(files);
        others = List.copyOf(others);
    }

    /** As it is now. Reads every manifest. */
    public static CustomerFiles read(ObjectStore store, String customer) throws IOException {
        var files = new ArrayList<FileEntry>();
        for (int shard : ManifestChain.shards(store)) {
            var chain = new ManifestChain(store, shard);
            var catalog = new Catalog();
            long last = chain.load().head().version();
            for (long version = 0; version <= last; version++) {
                long at = version;
                Manifest manifest = chain.manifest(version)
                        .orElseThrow(() -> new IOException("manifest " + at + " of shard " + shard + " is missing"));
                catalog.apply(manifest);
            }
            files.addAll(catalog.of(customer));
        }
        files.sort(Comparator.comparing(FileEntry::path));
        Set<String> named = new HashSet<>();
        files.forEach(file -> named.add(file.path()));
        var others = new ArrayList<>(store.list(PartitionPath.ofCustomer(customer), ""));
        others.addAll(store.list(PartitionPath.ofVoidCustomer(customer), ""));
        others.removeAll(named);
        return new CustomerFiles(customer, files, others);
    }

    public long bytes() {
        return files.stream().mapToLong(FileEntry::size).sum();
    }

    public long rows() {
        return files.stream().mapToLong(FileEntry::rows).sum();
    }
}
