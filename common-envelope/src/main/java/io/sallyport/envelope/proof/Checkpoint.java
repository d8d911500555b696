package io.sallyport.envelope.proof;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a signature of the cell binds: size and root of every log tree, and the head of the export's manifest chain. Its
 * text has the form of the C2SP specification "tlog-checkpoint":
 *
 * <pre>
 * origin                                    the cell
 * size                                      segments of all trees together
 * root                                      RFC 6962 root over the lines below, as they stand, without their newlines
 * tree SHARD GENERATION SIZE ROOT           one line for each tree, by shard and generation
 * manifests HEAD                            only once there is an export
 * </pre>
 *
 * @param trees by their key, all of one cell
 * @param manifests head of the manifest chain; empty as long as nothing was exported
 */
public record Checkpoint(String origin, SortedMap<TreeKey, TreeState> trees, Optional<Hash> manifests) {
    private static final String TREE = "tree ";
    private static final String MANIFESTS = "manifests ";

    public Checkpoint {
        if (!NoteKey.isName(origin)) {
            throw new IllegalArgumentException("an origin is not empty and has no space and no plus sign");
        }
        for (TreeKey tree : trees.keySet()) {
            if (!tree.cell().equals(origin)) {
                throw new IllegalArgumentException("a tree of another cell: " + tree);
            }
        }
        trees = new TreeMap<>(trees);
    }

    /** A hash that compares by its bytes, shown as base64. */
    public static final class Hash {
        private final byte[] bytes;

        public Hash(byte[] bytes) {
            if (bytes.length != TreeHash.BYTES) {
                throw new IllegalArgumentException("a hash has " + TreeHash.BYTES + " bytes");
            }
            this.bytes = bytes.clone();
        }

        public byte[] bytes() {
            return bytes.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Hash hash && Arrays.equals(bytes, hash.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return Base64.getEncoder().encodeToString(bytes);
        }
    }

    /**
     * One log tree.
     *
     * @param size its segments
     */
    public record TreeState(long size, Hash root) {}

    /** The text to sign. */
    public String text() {
        List<String> lines = lines();
        var text = new StringBuilder(origin)
                .append('\n')
                .append(size())
                .append('\n')
                .append(new Hash(root(lines)))
                .append('\n');
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** Segments of all trees together: it grows with each checkpoint. */
    public long size() {
        return trees.values().stream().mapToLong(TreeState::size).sum();
    }

    private List<String> lines() {
        var lines = new ArrayList<String>();
        trees.forEach((tree, state) -> lines.add(TREE + Integer.toUnsignedString(tree.shard()) + " "
                + Integer.toUnsignedString(tree.generation()) + " " + state.size() + " " + state.root()));
        manifests.ifPresent(head -> lines.add(MANIFESTS + head));
        return lines;
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

    /** Reads what {@link #text} gives; empty where it is anything else, in however little. */
    public static Optional<Checkpoint> parse(String text) {
        List<String> lines = text.lines().toList();
        if (lines.size() < 3) {
            return Optional.empty();
        }
        try {
            String origin = lines.get(0);
            var trees = new TreeMap<TreeKey, TreeState>();
            Optional<Hash> manifests = Optional.empty();
            for (String line : lines.subList(3, lines.size())) {
                if (line.startsWith(TREE)) {
                    String[] fields = line.substring(TREE.length()).split(" ", -1);
                    var key = new TreeKey(
                            origin, Integer.parseUnsignedInt(fields[0]), Integer.parseUnsignedInt(fields[1]));
                    trees.put(key, new TreeState(Long.parseLong(fields[2]), hash(fields[3])));
                } else if (line.startsWith(MANIFESTS)) {
                    manifests = Optional.of(hash(line.substring(MANIFESTS.length())));
                } else {
                    return Optional.empty();
                }
            }
            // There is one way to write a checkpoint: order, numbers, size and root are compared with it.
            return Optional.of(new Checkpoint(origin, trees, manifests))
                    .filter(checkpoint -> checkpoint.text().equals(text));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static Hash hash(String base64) {
        return new Hash(Base64.getDecoder().decode(base64));
    }

    /**
     * What forbids that {@code newer} follows this checkpoint, as far as sizes tell; that each tree only grew is shown by
     * consistency proofs, and that the manifests only grew by their chain.
     *
     * @return empty where nothing does
     */
    public Optional<String> conflict(Checkpoint newer) {
        if (!newer.origin.equals(origin)) {
            return Optional.of("origin " + newer.origin + " instead of " + origin);
        }
        for (var tree : trees.entrySet()) {
            TreeState state = newer.trees.get(tree.getKey());
            String name = "shard " + tree.getKey().shard() + " generation "
                    + tree.getKey().generation();
            if (state == null) {
                return Optional.of(name + " is missing");
            }
            if (state.size() < tree.getValue().size()) {
                return Optional.of(
                        name + ": expected at least " + tree.getValue().size() + " segments, found " + state.size());
            }
            if (state.size() == tree.getValue().size()
                    && !state.root().equals(tree.getValue().root())) {
                return Optional.of(name + " has another root at " + state.size() + " segments");
            }
        }
        return manifests.isPresent() && newer.manifests.isEmpty()
                ? Optional.of("the head of the manifests is missing")
                : Optional.empty();
    }
}
