package io.sallyport.fanout.status;

import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.RowStore.Table;
import io.sallyport.fanout.core.SegmentInfo;
import io.sallyport.fanout.core.SegmentSource;
import io.sallyport.proto.log.v1.SegmentChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.RocksIterator;

/**
 * Segments as their chunks stand in the store. A version counts once all its chunks are there; the newest such version
 * is the segment. A version that was never finished is not seen by anybody.
 */
public final class SegmentTable implements SegmentSource {
    /** After every key of a prefix: keys are ASCII. */
    private static final String END = "~";

    private final StatusStore store;

    public SegmentTable(StatusStore store) {
        this.store = store;
    }

    /** The newest complete version; empty where there is none, or it says that the segment was deleted. */
    public Optional<SegmentInfo> newest(String customerId, String name) {
        return versions(customerId, name).stream()
                .filter(Version::isComplete)
                .findFirst()
                .map(version -> version.info(customerId, name))
                .filter(info -> !info.deleted());
    }

    @Override
    public Optional<List<String>> members(String customerId, String name) {
        return newest(customerId, name).map(info -> members(info));
    }

    /** Every member of a version, in the order of its chunks. */
    public List<String> members(SegmentInfo info) {
        var members = new ArrayList<String>();
        String prefix = versionPrefix(info.customerId(), info.name(), info.version());
        try (RocksIterator rows = store.iterate(Table.SEGMENTS)) {
            for (rows.seek(StatusStore.bytes(prefix));
                    rows.isValid() && StatusStore.text(rows.key()).startsWith(prefix);
                    rows.next()) {
                members.addAll(
                        StatusStore.parsed(rows.value(), SegmentChunk.parser()).getSensorIdsList());
            }
        }
        return members;
    }

    /** Every version that has a chunk, finished or not, the newest first; chunks is how many stand there. */
    public List<SegmentInfo> stored(String customerId, String name) {
        return versions(customerId, name).stream()
                .map(version -> version.info(customerId, name))
                .toList();
    }

    /** How many segments a customer has, counted up to {@code limit}. */
    public int count(String customerId, int limit) {
        int count = 0;
        String prefix = customerId + '/';
        try (RocksIterator rows = store.iterate(Table.SEGMENTS)) {
            rows.seek(StatusStore.bytes(prefix));
            while (count < limit
                    && rows.isValid()
                    && StatusStore.text(rows.key()).startsWith(prefix)) {
                String key = StatusStore.text(rows.key());
                String name = key.substring(prefix.length(), key.indexOf('/', prefix.length()));
                count += newest(customerId, name).isPresent() ? 1 : 0;
                rows.seek(StatusStore.bytes(prefix + name + '/' + END));
            }
        }
        return count;
    }

    private record Version(long number, int found, int chunks, boolean deleted) {
        boolean isComplete() {
            return found == chunks;
        }

        SegmentInfo info(String customerId, String name) {
            return new SegmentInfo(customerId, name, number, chunks, deleted);
        }
    }

    private List<Version> versions(String customerId, String name) {
        var versions = new ArrayList<Version>();
        String prefix = customerId + '/' + name + '/';
        try (RocksIterator rows = store.iterate(Table.SEGMENTS)) {
            rows.seekForPrev(StatusStore.bytes(prefix + END));
            while (rows.isValid() && StatusStore.text(rows.key()).startsWith(prefix)) {
                String key = StatusStore.text(rows.key());
                var chunk = StatusStore.parsed(rows.value(), SegmentChunk.parser());
                int last = versions.size() - 1;
                if (last >= 0 && versions.get(last).number() == chunk.getVersion()) {
                    Version before = versions.get(last);
                    versions.set(
                            last, new Version(before.number(), before.found() + 1, before.chunks(), before.deleted()));
                } else if (key.equals(Keys.segmentChunk(customerId, name, chunk.getVersion(), chunk.getChunk()))) {
                    versions.add(new Version(chunk.getVersion(), 1, chunk.getChunks(), chunk.getDeleted()));
                }
                rows.prev();
            }
        }
        return versions;
    }

    private static String versionPrefix(String customerId, String name, long version) {
        String key = Keys.segmentChunk(customerId, name, version, 0);
        return key.substring(0, key.lastIndexOf('/') + 1);
    }
}
