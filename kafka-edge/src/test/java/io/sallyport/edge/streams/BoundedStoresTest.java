package io.sallyport.edge.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

class BoundedStoresTest {
    private static final int STORES = 48;
    private static final int VALUE_BYTES = 16 << 10;
    /** Three quarters of a memtable: no store has a reason of its own to write it out. */
    private static final int VALUES = 192;

    @Test
    void shouldKeepTheMemtablesOfAllStoresTogetherWithinOneBound(@TempDir Path dir) throws Exception {
        RocksDB.loadLibrary();
        List<Options> options = new ArrayList<>();
        List<RocksDB> stores = new ArrayList<>();
        try (var write = new WriteOptions().setDisableWAL(true)) {
            for (int store = 0; store < STORES; store++) {
                var ofStore = new Options().setCreateIfMissing(true);
                ofStore.setTableFormatConfig(new BlockBasedTableConfig());
                new BoundedStores().setConfig("store-" + store, ofStore, Map.of());
                options.add(ofStore);
                stores.add(RocksDB.open(ofStore, dir.resolve("store-" + store).toString()));
            }
            byte[] value = new byte[VALUE_BYTES];
            for (int i = 0; i < VALUES; i++) {
                for (RocksDB store : stores) {
                    store.put(write, ByteBuffer.allocate(4).putInt(i).array(), value);
                }
            }
            long written = (long) STORES * VALUES * VALUE_BYTES;
            assertThat(written).isGreaterThan(BoundedStores.POOL_BYTES);
            // Written out behind the writer's back, and at this speed a little later.
            while (isFlushing(stores)) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(memtables(stores)).isLessThan(BoundedStores.POOL_BYTES);
        } finally {
            stores.forEach(RocksDB::close);
            options.forEach(Options::close);
        }
    }

    private static boolean isFlushing(List<RocksDB> stores) throws RocksDBException {
        for (RocksDB store : stores) {
            if (store.getLongProperty("rocksdb.num-running-flushes") > 0
                    || store.getLongProperty("rocksdb.mem-table-flush-pending") > 0) {
                return true;
            }
        }
        return false;
    }

    private static long memtables(List<RocksDB> stores) throws RocksDBException {
        long bytes = 0;
        for (RocksDB store : stores) {
            bytes += store.getLongProperty("rocksdb.size-all-mem-tables");
        }
        return bytes;
    }
}
