package io.sallyport.sim.core;

import io.sallyport.envelope.watermark.SeqRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a session that are not settled, in the order they were sent, and those that the gateway refused for
 * their content: refused three times, a batch is split down to single events, and a single one that is refused then is
 * given up (sensor link, section 6).
 */
final class InFlight {
    private static final int REFUSALS_BEFORE_SPLIT = 3;

    /** @param refusals how often these events were refused together before */
    record Sent(int batchId, long[] seqs, long lastSeq, int refusals, long sentUs) {
        boolean isLastTry() {
            return seqs.length == 1 && refusals + 1 >= REFUSALS_BEFORE_SPLIT;
        }
    }

    /** Events that go out together again. */
    record Group(long[] seqs, int refusals) {}

    private final Map<Integer, Sent> byBatchId = new LinkedHashMap<>();
    private final Deque<Group> refused = new ArrayDeque<>();
    private int lastTries;

    boolean isEmpty() {
        return byBatchId.isEmpty();
    }

    void clear() {
        byBatchId.clear();
        refused.clear();
        lastTries = 0;
    }

    void sent(int batchId, long[] seqs, int refusals, long nowUs) {
        var sent = new Sent(batchId, seqs, Arrays.stream(seqs).max().orElseThrow(), refusals, nowUs);
        byBatchId.put(batchId, sent);
        if (sent.isLastTry()) {
            lastTries++;
        }
    }

    /** Forgets a batch; null where it is settled or unknown. */
    @Nullable
    Sent take(int batchId) {
        Sent sent = byBatchId.remove(batchId);
        if (sent != null && sent.isLastTry()) {
            lastTries--;
        }
        return sent;
    }

    /** Whether single events are out whose refusal would give them up, or wait for that. */
    boolean hasLastTries() {
        return lastTries > 0 || refused.stream().anyMatch(group -> group.refusals() >= REFUSALS_BEFORE_SPLIT);
    }

    /** Takes a refused batch in again; the numbers to give up, empty where it gets another try. */
    List<SeqRange> refused(Sent batch) {
        if (batch.isLastTry()) {
            return List.of(SeqRange.of(batch.seqs()[0]));
        }
        int refusals = batch.refusals() + 1;
        if (refusals < REFUSALS_BEFORE_SPLIT) {
            refused.add(new Group(batch.seqs(), refusals));
        } else {
            for (long seq : batch.seqs()) {
                refused.add(new Group(new long[] {seq}, refusals));
            }
        }
        return List.of();
    }

    /** Takes a batch in again that got no verdict on its content. */
    void retry(Sent batch) {
        refused.add(new Group(batch.seqs(), batch.refusals()));
    }

    /** The next refused events that are due, null where there are none. */
    @Nullable
    Group nextRefused() {
        return refused.poll();
    }

    void settledUpTo(long watermark) {
        for (Iterator<Sent> all = byBatchId.values().iterator(); all.hasNext(); ) {
            Sent sent = all.next();
            if (sent.lastSeq() <= watermark) {
                if (sent.isLastTry()) {
                    lastTries--;
                }
                all.remove();
            }
        }
    }

    /** Takes out the batches that were sent at or before {@code sentUs}. */
    List<Sent> takeOlderThan(long sentUs) {
        var old = new ArrayList<Sent>();
        // In order of sending: the first young one ends the search.
        for (Sent sent : byBatchId.values()) {
            if (sent.sentUs() > sentUs) {
                break;
            }
            old.add(sent);
        }
        old.forEach(sent -> take(sent.batchId()));
        return old;
    }

    /** Forgets everything, refusals included, and gives back the numbers. */
    List<long[]> takeAll() {
        var all = new ArrayList<long[]>();
        byBatchId.values().forEach(sent -> all.add(sent.seqs()));
        refused.forEach(group -> all.add(group.seqs()));
        clear();
        return all;
    }

    @Override
    public String toString() {
        return "batches " + byBatchId.keySet() + " refused " + refused.size() + " last tries " + lastTries;
    }
}
