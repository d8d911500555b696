package io.sallyport.router.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;

/** Bounds the native memory of each task's stores, and makes a look for what is not there cheap. */
public final class StoreSettings implements RocksDBConfigSetter {
    private static final long BLOCK_CACHE_BYTES = 2L << 20;
    private static final long WRITE_BUFFER_BYTES = 2L << 20;
    private static final int BLOOM_BITS = 10;

    private @Nullable LRUCache blocks;
    private @Nullable BloomFilter bloom;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        blocks = new LRUCache(BLOCK_CACHE_BYTES);
        bloom = new BloomFilter(BLOOM_BITS);
        var table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(blocks);
        table.setFilterPolicy(bloom);
        table.setCacheIndexAndFilterBlocks(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferSize(WRITE_BUFFER_BYTES);
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
