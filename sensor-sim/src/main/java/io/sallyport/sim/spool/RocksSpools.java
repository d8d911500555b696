package io.sallyport.sim.spool;

import io.sallyport.envelope.identity.SensorKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * Spools in one RocksDB that all sensors of a process share. Every effect is one write batch in its write-ahead log, so
 * that a killed process finds each effect whole or not at all, and none that came before a missing one. A power cut may
 * take the newest effects with it unless {@code sync} is set; the gateway then sees numbers come back, and answers with
 * a new epoch.
 */
public final class RocksSpools implements SpoolStore {
    private static final long WRITE_BUFFER_BYTES = 64L << 20;
    /** Payloads of at least this size stay out of the compaction. */
    private static final int BLOB_BYTES = 4_096;

    static {
        RocksDB.loadLibrary();
    }

    private final Options options;
    private final WriteOptions writes;
    private final RocksDB db;

    /**
     * Opens the store, and creates it where there is none.
     *
     * @param sync each effect reaches the disk before it returns
     * @throws SpoolException where the folder cannot be used, for instance because another process has it open
     */
    public RocksSpools(Path folder, boolean sync) {
        options = new Options()
                .setCreateIfMissing(true)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(3)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setEnableBlobFiles(true)
                .setMinBlobSize(BLOB_BYTES)
                .setEnableBlobGarbageCollection(true)
                .setMaxBackgroundJobs(2)
                // A writer that waits for another one sleeps instead of burning a core.
                .setEnableWriteThreadAdaptiveYield(false)
                .setKeepLogFileNum(2)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL);
        writes = new WriteOptions().setSync(sync);
        try {
            Files.createDirectories(folder);
            db = RocksDB.open(options, folder.toString());
        } catch (IOException | RocksDBException e) {
            writes.close();
            options.close();
            throw new SpoolException("cannot open the spool in " + folder, e);
        }
    }

    @Override
    public SensorSpool open(SensorKey sensor) {
        return new RocksSpool(db, writes, sensor);
    }

    @Override
    public void close() {
        db.close();
        writes.close();
        options.close();
    }
}
