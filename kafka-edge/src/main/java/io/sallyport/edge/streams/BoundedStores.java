package io.sallyport.edge.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * Bounds the native memory of all stores of a process together: block cache and memtables stay within one pool, however
 * many partitions it gets. A bound for each store would be multiplied by partitions, stores and standbys, and the first to
 * notice would be the kernel. Made by Streams, one per store.
 */
public final class BoundedStores implements RocksDBConfigSetter {
    /** Of all stores of the process. */
    static final long POOL_BYTES = 128L << 20;

    private static final long WRITE_BUFFERS_SHARE = 2;
    private static final long MEMTABLE_BYTES = 4L << 20;
    /** What a memtable takes at its first entry: of hundreds of stores, most have few. */
    private static final long ARENA_BLOCK_BYTES = 64L << 10;

    private static final int BLOOM_BITS = 10;

    /** Lives as long as the process: stores of one topology or another are open until then. */
    private static final class Pool {
        static final Pool OF_PROCESS = new Pool();

        final Cache cache;
        final WriteBufferManager writeBuffers;
        final BloomFilter bloom;

        Pool() {
            RocksDB.loadLibrary();
            cache = new LRUCache(POOL_BYTES);
            // Charged to the cache, so the cache's bound is that of both.
            writeBuffers = new WriteBufferManager(POOL_BYTES / WRITE_BUFFERS_SHARE, cache);
            bloom = new BloomFilter(BLOOM_BITS);
        }
    }

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        Pool pool = Pool.OF_PROCESS;
        var table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(pool.cache);
        table.setCacheIndexAndFilterBlocks(true);
        table.setPinTopLevelIndexAndFilter(true);
        // A look for what is not there is cheap.
        table.setFilterPolicy(pool.bloom);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(pool.writeBuffers);
        options.setWriteBufferSize(MEMTABLE_BYTES);
        options.setMaxWriteBufferNumber(2);
        options.setArenaBlockSize(ARENA_BLOCK_BYTES);
    }

    @Override
    public void close(String storeName, Options options) {
        // What is shared stays.
    }
}
