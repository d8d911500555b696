package io.sallyport.export.manifest;

import io.sallyport.envelope.proof.MerkleTree;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The heads of all shards' chains, and the one hash over them that a checkpoint binds: the root of an RFC 6962 tree (BLAKE3)
 * whose leaves are the lines {@code shard SHARD VERSION SHA256}, in order of the shard, without their newlines. A shard
 * without a manifest has no line; with no line at all the root is the hash of nothing.
 *
 * @param heads by shard
 */
public record ManifestHeads(SortedMap<Integer, ManifestChain.Head> heads) {
    public ManifestHeads {
        heads = new TreeMap<>(heads);
    }

    /** Heads of the shards from 0 below {@code shards}, as they are now. */
    public static ManifestHeads read(ObjectStore store, int shards) throws IOException {
        return read(store, shards, new TreeMap<>());
    }

    /** @param known heads seen before, which spare looking at what is older */
    public static ManifestHeads read(ObjectStore store, int shards, Map<Integer, ManifestChain.Head> known)
            throws IOException {
        var heads = new TreeMap<Integer, ManifestChain.Head>();
        for (int shard = 0; shard < shards; shard++) {
            ManifestChain.Head head = new ManifestChain(store, shard)
                    .load(known.getOrDefault(shard, ManifestChain.Head.NONE))
                    .head();
            if (head.version() >= 0) {
                heads.put(shard, head);
            }
        }
        return new ManifestHeads(heads);
    }

    /** One line of the text: the head of a shard's chain. */
    public record Line(int shard, long version, String sha256) {}

    /** Where the text is kept: under the hash that a checkpoint has of it. */
    public static String key(byte[] root) {
        return "_manifests/heads/" + HexFormat.of().formatHex(root) + ".txt";
    }

    /** Reads a text back; empty where its root is another one. */
    public static Optional<List<Line>> parse(String text, byte[] root) {
        List<String> lines = text.lines().toList();
        if (!Arrays.equals(root(lines), root)) {
            return Optional.empty();
        }
        // What has this root was written here, so it can be read.
        return Optional.of(lines.stream()
                .map(line -> line.split(" ", -1))
                .map(fields -> new Line(Integer.parseInt(fields[1]), Long.parseLong(fields[2]), fields[3]))
                .toList());
    }

    /** The lines that the root is over, each with a newline. */
    public String text() {
        var text = new StringBuilder();
        lines().forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** 32 bytes over all heads. */
    public byte[] root() {
        return root(lines());
    }

    private static byte[] root(List<String> lines) {
        var hash = new TreeHash();
        return new MerkleTree(
                        hash,
                        lines.stream()
                                .map(line -> hash.leaf(line.getBytes(StandardCharsets.UTF_8)))
                                .toList())
                .root();
    }

    private List<String> lines() {
        return heads.entrySet().stream()
                .map(head -> "shard %d %d %s"
                        .formatted(
                                head.getKey(),
                                head.getValue().version(),
                                head.getValue().sha256()))
                .toList();
    }
}
