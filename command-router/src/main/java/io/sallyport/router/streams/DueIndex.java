package io.sallyport.router.streams;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Who needs attention next. Kept in memory, about 150 bytes for each key with something due, and found again from the
 * stores when a task starts: the time is part of the stored state.
 */
final class DueIndex<K extends Comparable<K>> {
    private final TreeSet<Due<K>> dues =
            new TreeSet<>(Comparator.<Due<K>>comparingLong(Due::atUs).thenComparing(Due::key));

    private record Due<K>(long atUs, K key) {}

    /** Moves a key; {@link Long#MAX_VALUE} stands for never. */
    void move(K key, long fromUs, long toUs) {
        if (fromUs != toUs) {
            if (fromUs != Long.MAX_VALUE) {
                dues.remove(new Due<>(fromUs, key));
            }
            if (toUs != Long.MAX_VALUE) {
                dues.add(new Due<>(toUs, key));
            }
        }
    }

    /** When the first of all is due; {@link Long#MAX_VALUE} where there is none. */
    long nextUs() {
        return dues.isEmpty() ? Long.MAX_VALUE : dues.first().atUs();
    }

    /** The keys that are due, earliest first, at most so many; they stay until they are moved. */
    List<K> due(long nowUs, int max) {
        var found = new ArrayList<K>();
        for (Due<K> due : dues) {
            if (due.atUs() > nowUs || found.size() == max) {
                break;
            }
            found.add(due.key());
        }
        return found;
    }
}
