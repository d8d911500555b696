package io.sallyport.edge.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;

/**
 * Bounds the native memory of each task's stores, where a value is a few hundred bytes: the defaults are for far more. A look
 * for what is not there is cheap. Made by Streams, one per store.
 */
public final class SmallStores implements RocksDBConfigSetter {
    /** Bytes of the block cache, and of each of two write buffers, of a store; 4 MiB where it is not set. */
    public static final String BYTES_CONFIG = "sallyport.rocks.store.bytes";

    private static final long BYTES = 4L << 20;
    private static final int BLOOM_BITS = 10;

    private @Nullable LRUCache blocks;
    private @Nullable BloomFilter bloom;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        long bytes = configs.get(BYTES_CONFIG) instanceof Long set ? set : BYTES;
        blocks = new LRUCache(bytes);
        bloom = new BloomFilter(BLOOM_BITS);
        var table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(blocks);
        table.setFilterPolicy(bloom);
        table.setCacheIndexAndFilterBlocks(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferSize(bytes);
        options.setMaxWriteBufferNumber(2);
    }

    @Override
    public void close(String storeName, Options options) {
        if (blocks != null) {
            blocks.close();
        }
        if (bloom != null) {
            bloom.close();
        }
    }
}
