package io.sallyport.fanout.status;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.RowStore;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Decisions, plans, counts, target states and segments as this node has read them. It can be deleted while the service
 * is down: it is built again from the topics. Thread-safe.
 */
public final class StatusStore implements RowStore, AutoCloseable {
    private static final long CACHE_BYTES = 32L << 20;
    private static final long WRITE_BUFFER_BYTES = 8L << 20;
    private static final int MAX_OPEN_FILES = 256;

    static {
        RocksDB.loadLibrary();
    }

    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final ColumnFamilyOptions familyOptions;
    private final DBOptions options;
    private final WriteOptions writeOptions = new WriteOptions();
    private final RocksDB db;
    private final ColumnFamilyHandle marks;
    private final Map<Table, ColumnFamilyHandle> tables = new EnumMap<>(Table.class);

    public StatusStore(Path dir) throws IOException {
        Files.createDirectories(dir);
        familyOptions = new ColumnFamilyOptions()
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
        options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setMaxOpenFiles(MAX_OPEN_FILES)
                .setKeepLogFileNum(2);
        var descriptors = new ArrayList<ColumnFamilyDescriptor>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions));
        for (Table table : Table.values()) {
            descriptors.add(new ColumnFamilyDescriptor(bytes(table.name()), familyOptions));
        }
        var handles = new ArrayList<ColumnFamilyHandle>();
        try {
            db = RocksDB.open(options, dir.toString(), descriptors, handles);
        } catch (RocksDBException e) {
            throw new IOException("cannot open the status store in " + dir, e);
        }
        marks = handles.get(0);
        for (Table table : Table.values()) {
            tables.put(table, handles.get(1 + table.ordinal()));
        }
    }

    @Override
    public Map<String, Long> positions() {
        var positions = new HashMap<String, Long>();
        try (RocksIterator rows = db.newIterator(marks)) {
            for (rows.seekToFirst(); rows.isValid(); rows.next()) {
                positions.put(text(rows.key()), ByteBuffer.wrap(rows.value()).getLong());
            }
        }
        return positions;
    }

    @Override
    public void write(List<Row> rows, Map<String, Long> positions) {
        try (var batch = new WriteBatch()) {
            for (Row row : rows) {
                byte[] value = row.value();
                if (value != null) {
                    batch.put(table(row.table()), bytes(row.key()), value);
                } else if (row.table() != Table.COUNTS && row.table() != Table.TARGETS) {
                    // The router forgets states sooner than a message is; here they stay as long as its decision.
                    batch.delete(table(row.table()), bytes(row.key()));
                    if (row.table() == Table.DECISIONS) {
                        forget(batch, row.key());
                    }
                }
            }
            for (Map.Entry<String, Long> position : positions.entrySet()) {
                batch.put(
                        marks,
                        bytes(position.getKey()),
                        ByteBuffer.allocate(Long.BYTES)
                                .putLong(position.getValue())
                                .array());
            }
            db.write(writeOptions, batch);
        } catch (RocksDBException e) {
            throw new IllegalStateException("the status store cannot be written", e);
        }
    }

    /** With its decision goes all that is known of a message. */
    private void forget(WriteBatch batch, String key) throws RocksDBException {
        for (Table table : List.of(Table.PLANS, Table.COUNTS, Table.TARGETS)) {
            batch.deleteRange(table(table), bytes(key + '/'), bytes(key + (char) ('/' + 1)));
        }
    }

    /** Empty where no request under the msg_id was accepted. */
    public Optional<MessageDecision> decision(String customerId, String msgId) {
        return get(Table.DECISIONS, Keys.message(customerId, msgId), MessageDecision.parser())
                .filter(MessageDecision::getAccepted);
    }

    public List<StatusPartial> counts(String customerId, String msgId) {
        var partials = new ArrayList<StatusPartial>();
        String prefix = Keys.message(customerId, msgId) + '/';
        try (RocksIterator rows = db.newIterator(table(Table.COUNTS))) {
            for (rows.seek(bytes(prefix)); rows.isValid() && text(rows.key()).startsWith(prefix); rows.next()) {
                partials.add(parsed(rows.value(), StatusPartial.parser()));
            }
        }
        return partials;
    }

    /** Empty while this node has not read that chunk. */
    public Optional<PlanChunk> chunk(String customerId, String msgId, int chunk) {
        return get(Table.PLANS, Keys.chunk(customerId, msgId, chunk), PlanChunk.parser());
    }

    /** What the router said of each sensor, in their order; empty where it said nothing yet. */
    public List<Optional<TargetStatus>> targets(String customerId, String msgId, List<String> sensorIds) {
        if (sensorIds.isEmpty()) {
            // RocksDB takes no empty list of keys.
            return List.of();
        }
        List<byte[]> keys = sensorIds.stream()
                .map(sensor -> bytes(Keys.target(customerId, msgId, sensor)))
                .toList();
        try {
            var found = new ArrayList<Optional<TargetStatus>>(keys.size());
            for (byte[] value :
                    db.multiGetAsList(java.util.Collections.nCopies(keys.size(), table(Table.TARGETS)), keys)) {
                found.add(value == null ? Optional.empty() : Optional.of(parsed(value, TargetStatus.parser())));
            }
            return found;
        } catch (RocksDBException e) {
            throw new IllegalStateException("the status store cannot be read", e);
        }
    }

    RocksIterator iterate(Table table) {
        return db.newIterator(table(table));
    }

    static <T> T parsed(byte[] value, Parser<T> parser) {
        try {
            return parser.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a row of the status store cannot be read", e);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private <T> Optional<T> get(Table table, String key, Parser<T> parser) {
        try {
            byte @Nullable [] value = db.get(table(table), bytes(key));
            return value == null ? Optional.empty() : Optional.of(parsed(value, parser));
        } catch (RocksDBException e) {
            throw new IllegalStateException("the status store cannot be read", e);
        }
    }

    private ColumnFamilyHandle table(Table table) {
        ColumnFamilyHandle handle = tables.get(table);
        if (handle == null) {
            throw new IllegalStateException("no table " + table);
        }
        return handle;
    }

    @Override
    public void close() {
        tables.values().forEach(ColumnFamilyHandle::close);
        marks.close();
        db.close();
        writeOptions.close();
        options.close();
        familyOptions.close();
        cache.close();
    }
}
