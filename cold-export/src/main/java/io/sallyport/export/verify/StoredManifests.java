package io.sallyport.export.verify;

import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What lies under {@code _manifests/}, by its names alone: whoever can write to the store may have put anything there, so
 * nothing is opened before it is known what binds it.
 *
 * @param newest version of each shard's newest manifest; -1 where there is only an intent
 * @param strangers keys that no exporter makes
 */
record StoredManifests(SortedMap<Integer, Long> newest, List<String> strangers) {
    private static final String ROOT = "_manifests/";
    private static final Pattern HEADS = Pattern.compile("_manifests/heads/[0-9a-f]{64}\\.txt");
    private static final Pattern VERSION =
            Pattern.compile("_manifests/shard=(\\d{5,9})/(0\\d{19})\\.(intent|manifest)\\.json");

    private record Key(String path, int shard, long version, boolean isIntent) {}

    static StoredManifests read(ObjectStore store) throws IOException {
        var newest = new TreeMap<Integer, Long>();
        var strangers = new ArrayList<String>();
        var intents = new ArrayList<Key>();
        for (String path : store.list(ROOT, "")) {
            Optional<Key> key = parse(path);
            if (key.isEmpty()) {
                if (!HEADS.matcher(path).matches()) {
                    strangers.add(path);
                }
            } else {
                newest.merge(
                        key.get().shard(), key.get().isIntent() ? -1 : key.get().version(), Math::max);
                if (key.get().isIntent()) {
                    intents.add(key.get());
                }
            }
        }
        for (Key intent : intents) {
            if (intent.version() > newest.getOrDefault(intent.shard(), -1L) + 1) {
                strangers.add(intent.path());
            }
        }
        return new StoredManifests(newest, strangers);
    }

    private static Optional<Key> parse(String path) {
        Matcher name = VERSION.matcher(path);
        return name.matches()
                ? Optional.of(new Key(
                        path,
                        Integer.parseInt(name.group(1)),
                        Long.parseLong(name.group(2)),
                        name.group(3).equals("intent")))
                : Optional.empty();
    }
}
