package io.sallyport.export.manifest;

import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.Position;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.Sha256;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The manifests of one shard, version by version: {@code _manifests/shard=SSSSS/VERSION.intent.json} and then
 * {@code VERSION.manifest.json}. Both are created once and never changed, so a version has one intent and one outcome,
 * however many workers believe that they own the shard.
 */
public final class ManifestChain {
    private static final String ROOT = "_manifests/";
    private static final String INTENT = ".intent.json";
    private static final String MANIFEST = ".manifest.json";

    private final ObjectStore store;
    private final int shard;

    /**
     * The newest manifest of a shard.
     *
     * @param version -1 where there is none
     * @param sha256 of its bytes; {@link Manifest#GENESIS} where there is none
     */
    public record Head(long version, String sha256, Position position) {
        public static final Head NONE = new Head(-1, Manifest.GENESIS, Position.START);
    }

    /** Where a shard stands: its head, and the intent behind it where one is open. */
    public record State(Head head, Optional<Intent> open) {}

    public ManifestChain(ObjectStore store, int shard) {
        this.store = store;
        this.shard = shard;
    }

    public int shard() {
        return shard;
    }

    /** Folder of a shard's manifests. */
    public static String folder(int shard) {
        return ROOT + "shard=%05d/".formatted(shard);
    }

    private String key(long version, String kind) {
        return folder(shard) + "%020d".formatted(version) + kind;
    }

    /** Where the shard stands. */
    public State load() throws IOException {
        return load(Head.NONE);
    }

    /** @param known a head seen before, which spares looking at what is older */
    public State load(Head known) throws IOException {
        List<String> keys = store.list(folder(shard), known.version() < 0 ? "" : key(known.version(), MANIFEST));
        long last = known.version();
        for (String key : keys) {
            if (key.endsWith(MANIFEST)) {
                last = version(key, MANIFEST);
            }
        }
        Head head = last == known.version() ? known : head(last);
        Optional<byte[]> intent = store.read(key(head.version() + 1, INTENT));
        return new State(head, intent.isPresent() ? Optional.of(ManifestJson.intent(intent.get())) : Optional.empty());
    }

    private Head head(long version) throws IOException {
        byte[] bytes = bytes(version);
        return new Head(version, Sha256.of(bytes), ManifestJson.manifest(bytes).position());
    }

    private byte[] bytes(long version) throws IOException {
        String key = key(version, MANIFEST);
        return store.read(key).orElseThrow(() -> new IOException("manifest " + key + " is missing"));
    }

    private static long version(String key, String kind) throws IOException {
        try {
            return Long.parseLong(key.substring(key.lastIndexOf('/') + 1, key.length() - kind.length()));
        } catch (NumberFormatException e) {
            throw new IOException("not a manifest: " + key, e);
        }
    }

    /**
     * Claims a version.
     *
     * @return whether it is ours; otherwise another one is open, or done
     */
    public boolean claim(Intent intent) throws IOException {
        byte[] bytes = ManifestJson.encode(intent);
        String key = key(intent.version(), INTENT);
        // A create whose answer was lost finds itself.
        return store.create(key, bytes) || isSame(key, bytes);
    }

    /**
     * Makes a version final.
     *
     * @return whether this call did; false where the version was final before, or where the answer of an earlier call was
     *     lost
     */
    public boolean commit(Manifest manifest) throws IOException {
        return store.create(key(manifest.version(), MANIFEST), ManifestJson.encode(manifest));
    }

    private boolean isSame(String key, byte[] bytes) throws IOException {
        Optional<byte[]> there = store.read(key);
        return there.isPresent() && Arrays.equals(there.get(), bytes);
    }

    /** A manifest by its version; empty where it is not there. */
    public Optional<Manifest> manifest(long version) throws IOException {
        Optional<byte[]> bytes = store.read(key(version, MANIFEST));
        return bytes.isPresent() ? Optional.of(ManifestJson.manifest(bytes.get())) : Optional.empty();
    }

    /** The bytes of a manifest, as they are hashed; empty where it is not there. */
    public Optional<byte[]> manifestBytes(long version) throws IOException {
        return store.read(key(version, MANIFEST));
    }

    /** The bytes of an intent, as its manifest names them; empty where it is not there. */
    public Optional<byte[]> intentBytes(long version) throws IOException {
        return store.read(key(version, INTENT));
    }

    /** Shards that have manifests. */
    public static List<Integer> shards(ObjectStore store) throws IOException {
        return store.list(ROOT, "").stream()
                .filter(key -> key.endsWith(MANIFEST))
                .map(key -> Integer.valueOf(key.substring(ROOT.length() + "shard=".length(), ROOT.length() + 11)))
                .distinct()
                .toList();
    }
}
