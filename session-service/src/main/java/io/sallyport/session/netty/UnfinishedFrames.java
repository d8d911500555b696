package io.sallyport.session.netty;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bytes of frames that are not complete yet, on the whole node. Where they pass the budget, the connection whose frame
 * has been waiting longest is told to end: it is the one that holds memory without bringing anything in.
 */
final class UnfinishedFrames {

    /** A connection with an unfinished frame. */
    interface Holder {
        /** Called on any thread, once. */
        void endForMemory();
    }

    private final long maxBytes;
    private final Map<Holder, Long> held = new LinkedHashMap<>();
    private long total;

    UnfinishedFrames(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * A connection holds so many bytes now; 0 = none. Its age counts from when it last held none.
     *
     * @param finishedOne a frame was completed since the last call, so the age begins anew
     */
    void holds(Holder holder, long bytes, boolean finishedOne) {
        Holder oldest = null;
        synchronized (this) {
            Long before = finishedOne || bytes == 0 ? held.remove(holder) : held.get(holder);
            total += bytes - (before == null ? 0 : before);
            if (bytes > 0) {
                held.put(holder, bytes);
            }
            if (total > maxBytes) {
                Iterator<Map.Entry<Holder, Long>> oldestFirst = held.entrySet().iterator();
                Map.Entry<Holder, Long> entry = oldestFirst.next();
                oldest = entry.getKey();
                total -= entry.getValue();
                oldestFirst.remove();
            }
        }
        if (oldest != null) {
            oldest.endForMemory();
        }
    }

    synchronized long totalBytes() {
        return total;
    }
}
