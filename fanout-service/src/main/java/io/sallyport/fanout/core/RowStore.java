package io.sallyport.fanout.core;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows that are made of the log, and how far it was read, changed together or not at all. */
public interface RowStore {

    enum Table {
        DECISIONS,
        SEGMENTS,
        PLANS,
        COUNTS,
        TARGETS
    }

    /** @param value null deletes the row */
    record Row(Table table, String key, byte @Nullable [] value) {}

    /** The next position to read of each source, by its name. */
    Map<String, Long> positions();

    void write(List<Row> rows, Map<String, Long> positions);
}
