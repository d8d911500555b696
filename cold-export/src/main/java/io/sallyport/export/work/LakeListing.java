package io.sallyport.export.work;

import io.sallyport.export.core.Intent;
import io.sallyport.export.core.PartitionPath;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What lies in the store, looked up once a day for all shards of a process: a store lists a million paths a thousand at a time.
 * Safe for use by many threads.
 */
public final class LakeListing {
    private static final long EVERY_US = TimeUnit.DAYS.toMicros(1);
    /** A shard that does not ask in time asks the next day; until then its paths would only take up memory. */
    private static final long KEPT_US = TimeUnit.HOURS.toMicros(1);

    private final ObjectStore store;
    private final Map<Integer, List<String>> shards = new HashMap<>();
    private long listedUs = Long.MIN_VALUE / 2;

    public LakeListing(ObjectStore store) {
        this.store = store;
    }

    /** Files of rows of a shard, once for each listing; empty where they were given out already. */
    synchronized List<String> take(int shard, long nowUs) throws IOException {
        if (nowUs - listedUs >= EVERY_US) {
            shards.clear();
            group(store.list(PartitionPath.ROOT, ""));
            group(store.list(PartitionPath.VOID_ROOT, ""));
            listedUs = nowUs;
        } else if (nowUs - listedUs > KEPT_US) {
            shards.clear();
        }
        List<String> paths = shards.remove(shard);
        return paths == null ? List.of() : paths;
    }

    private void group(List<String> paths) {
        for (String path : paths) {
            Intent.shardOf(path)
                    .ifPresent(shard -> shards.computeIfAbsent(shard, s -> new ArrayList<>())
                            .add(path));
        }
    }
}
