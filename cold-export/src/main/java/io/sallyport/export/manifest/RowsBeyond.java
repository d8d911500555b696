package io.sallyport.export.manifest;

import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rows of an export that a checkpoint does not cover yet: those of versions behind the heads that it binds. */
public final class RowsBeyond {
    private RowsBeyond() {}

    /**
     * Reads the manifests behind the heads.
     *
     * @param root that the checkpoint has of the heads; empty where it has none, and then it covers nothing
     */
    public static long count(ObjectStore store, Optional<byte[]> root) throws IOException {
        Map<Integer, Long> bound = new HashMap<>();
        if (root.isPresent()) {
            for (ManifestHeads.Line line : lines(store, root.get())) {
                bound.put(line.shard(), line.version());
            }
        }
        long rows = 0;
        for (int shard : ManifestChain.shards(store)) {
            var chain = new ManifestChain(store, shard);
            long last = chain.load().head().version();
            for (long version = bound.getOrDefault(shard, -1L) + 1; version <= last; version++) {
                Optional<Manifest> manifest = chain.manifest(version);
                if (manifest.isPresent() && manifest.get().kind() == ManifestKind.EXPORT) {
                    rows += manifest.get().rows();
                }
            }
        }
        return rows;
    }

    /** None where the text is not there or is another one: it is a verifier that says what that means. */
    private static List<ManifestHeads.Line> lines(ObjectStore store, byte[] root) throws IOException {
        Optional<byte[]> text = store.read(ManifestHeads.key(root));
        return text.flatMap(bytes -> ManifestHeads.parse(new String(bytes, StandardCharsets.UTF_8), root))
                .orElse(List.of());
    }
}
