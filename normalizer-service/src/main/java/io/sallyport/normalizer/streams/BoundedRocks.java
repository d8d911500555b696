package io.sallyport.normalizer.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;

/** Puts each store under the shared {@link RocksMemory}. Made by Streams, one per store. */
public final class BoundedRocks implements RocksDBConfigSetter {
    private static final long MEMTABLE_BYTES = 4L << 20;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        if (!(configs.get(RocksMemory.CONFIG) instanceof RocksMemory memory)) {
            throw new IllegalStateException("no shared RocksDB memory in the configuration");
        }
        if (options.tableFormatConfig() instanceof BlockBasedTableConfig table) {
            table.setBlockCache(memory.cache());
            table.setCacheIndexAndFilterBlocks(true);
            table.setPinTopLevelIndexAndFilter(true);
            options.setTableFormatConfig(table);
        }
        options.setWriteBufferManager(memory.writeBuffers());
        options.setWriteBufferSize(MEMTABLE_BYTES);
        options.setMaxWriteBufferNumber(2);
    }

    @Override
    public void close(String storeName, Options options) {
        // What is shared is closed by its owner.
    }
}
