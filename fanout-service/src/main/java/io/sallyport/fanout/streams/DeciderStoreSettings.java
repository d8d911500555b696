package io.sallyport.fanout.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;

/** Bounds the native memory of each task's store: a state is a few hundred bytes, the defaults are for far more. */
public final class DeciderStoreSettings implements RocksDBConfigSetter {
    private static final long BLOCK_CACHE_BYTES = 4L << 20;
    private static final long WRITE_BUFFER_BYTES = 4L << 20;

    private @Nullable LRUCache blocks;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        blocks = new LRUCache(BLOCK_CACHE_BYTES);
        var table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(blocks);
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
    }
}
