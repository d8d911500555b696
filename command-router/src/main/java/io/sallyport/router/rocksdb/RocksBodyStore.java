package io.sallyport.router.rocksdb;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.router.core.BodyStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.TtlDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Bodies and read positions in one RocksDB of its own. Bodies and the positions behind them are written together, so a
 * crash at any moment only repeats reads. A body is dropped some time after its topic's retention is over.
 */
public final class RocksBodyStore implements BodyStore, AutoCloseable {
    private static final long BLOCK_CACHE_BYTES = 16L << 20;
    private static final long WRITE_BUFFER_BYTES = 8L << 20;
    private static final int BLOOM_BITS = 10;
    /** No topic key begins with it. */
    private static final byte[] POSITION_PREFIX = {0};

    static {
        RocksDB.loadLibrary();
    }

    private final LRUCache blocks = new LRUCache(BLOCK_CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS);
    private final Options options;
    private final WriteOptions writes = new WriteOptions();
    private final TtlDB db;

    /** @param keep how long a body is kept at least, from when it was read */
    public RocksBodyStore(Path dir, Duration keep) {
        options = new Options()
                .setCreateIfMissing(true)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(2)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(blocks)
                        .setFilterPolicy(bloom)
                        .setCacheIndexAndFilterBlocks(true));
        try {
            Files.createDirectories(dir);
            db = TtlDB.open(options, dir.toString(), Math.toIntExact(keep.toSeconds()), false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RocksDBException e) {
            throw new IllegalStateException("cannot open the store of message bodies", e);
        }
    }

    @Override
    public Map<Integer, Long> positions() {
        var positions = new HashMap<Integer, Long>();
        try (var rows = db.newIterator()) {
            for (rows.seek(POSITION_PREFIX); rows.isValid() && rows.key()[0] == POSITION_PREFIX[0]; rows.next()) {
                positions.put(
                        ByteBuffer.wrap(rows.key()).getInt(POSITION_PREFIX.length),
                        ByteBuffer.wrap(rows.value()).getLong());
            }
        }
        return positions;
    }

    @Override
    public void put(Map<MessageKey, MessageBody> bodies, Map<Integer, Long> positions) {
        try (var batch = new WriteBatch()) {
            for (var body : bodies.entrySet()) {
                batch.put(body.getKey().topicKeyBytes(), body.getValue().toByteArray());
            }
            for (var position : positions.entrySet()) {
                batch.put(
                        ByteBuffer.allocate(POSITION_PREFIX.length + Integer.BYTES)
                                .put(POSITION_PREFIX)
                                .putInt(position.getKey())
                                .array(),
                        ByteBuffer.allocate(Long.BYTES)
                                .putLong(position.getValue())
                                .array());
            }
            db.write(writes, batch);
        } catch (RocksDBException e) {
            throw new IllegalStateException("cannot keep message bodies", e);
        }
    }

    @Override
    public boolean has(MessageKey message) {
        return db.keyExists(message.topicKey().getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public Optional<MessageBody> get(MessageKey message) {
        try {
            byte[] stored = db.get(message.topicKeyBytes());
            return stored == null ? Optional.empty() : Optional.of(MessageBody.parseFrom(stored));
        } catch (RocksDBException | InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of message bodies cannot be read", e);
        }
    }

    @Override
    public void close() {
        db.close();
        writes.close();
        options.close();
        bloom.close();
        blocks.close();
    }
}
