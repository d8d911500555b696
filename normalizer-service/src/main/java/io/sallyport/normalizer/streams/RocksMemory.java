package io.sallyport.normalizer.streams;

import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * The memory that all stores of one instance share: block cache and memtables together stay within one bound, however
 * many partitions the instance gets. Reaches each store through the Streams configuration, see {@link BoundedRocks}.
 */
final class RocksMemory implements AutoCloseable {
    static final String CONFIG = "sallyport.rocks.memory";
    private static final long WRITE_BUFFERS_SHARE = 3;

    private final Cache cache;
    private final WriteBufferManager writeBuffers;

    RocksMemory(long bytes) {
        RocksDB.loadLibrary();
        cache = new LRUCache(bytes);
        // Charged to the cache, so the cache's bound is that of both.
        writeBuffers = new WriteBufferManager(bytes / WRITE_BUFFERS_SHARE, cache);
    }

    Cache cache() {
        return cache;
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    /** Only when every store is closed. */
    @Override
    public void close() {
        writeBuffers.close();
        cache.close();
    }
}
