package io.sallyport.sim.core;

import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.SensorStart;
import java.util.Arrays;
import java.util.List;

/** The numbers of a sensor: its epoch, what it has given out, what it holds, and what is settled. */
final class SpoolLedger {
    /** An event older than this when it is taken in comes from a recording, or from a source that was held up. */
    private static final long OLD_EVENT_US = 60_000_000;
    /** Room for payloads is counted in events of the usual largest size. */
    private static final int LARGE_EVENT_BYTES = 65_536;

    private final SensorSettings settings;
    private EventIndex index;
    private long epoch;
    private long watermark;
    private long lastSessionId;
    private long produced;
    private long acked;
    private boolean epochPresented;

    SpoolLedger(SensorSettings settings, Recovered recovered) {
        this.settings = settings;
        SensorState state = recovered.state();
        epoch = state.epoch();
        watermark = state.watermark();
        lastSessionId = state.lastSessionId();
        produced = state.produced();
        acked = state.acked();
        List<Recovered.Entry> entries = recovered.entries();
        index = new EventIndex(
                entries.isEmpty() ? state.lastSeq() : entries.get(0).seq() - 1);
        for (Recovered.Entry entry : entries) {
            while (index.last() + 1 < entry.seq()) {
                index.addHole(Skip.REASON_SPOOL_LOST);
            }
            if (entry.skipReason() == 0) {
                index.add(entry.payloadBytes(), entry.type(), true, entry.renumbered());
            } else {
                index.addHole(entry.skipReason());
            }
        }
        while (index.last() < state.lastSeq()) {
            index.addHole(Skip.REASON_SPOOL_LOST);
        }
    }

    EventIndex index() {
        return index;
    }

    long epoch() {
        return epoch;
    }

    long watermark() {
        return watermark;
    }

    long lastSessionId() {
        return lastSessionId;
    }

    SensorState state() {
        return new SensorState(epoch, index.last(), watermark, lastSessionId, produced, acked);
    }

    /** Whatever was produced and is neither acknowledged nor held was given up. */
    long skipped() {
        return produced - acked - index.held();
    }

    boolean isSettled() {
        return watermark == index.last();
    }

    /** The last number of the epoch is given: the next event needs a new one. */
    boolean isExhausted() {
        return index.last() == SeqRange.MAX_SEQ;
    }

    int room() {
        long numbers = SeqRange.MAX_SEQ - index.last();
        if (settings.whenFull() == SensorSettings.WhenFull.WAIT) {
            numbers = Math.min(numbers, settings.maxSpoolEvents() - index.size());
            long bytes = settings.maxSpoolBytes() - index.heldBytes();
            numbers = Math.min(numbers, bytes <= 0 ? 0 : Math.max(1, bytes / LARGE_EVENT_BYTES));
        }
        return (int) Math.max(0, Math.min(numbers, settings.maxSpoolEvents()));
    }

    void append(List<SensorEvent> events, long wallUs, Sender sender, List<Effect> out) {
        if (SeqRange.MAX_SEQ - index.last() < events.size()) {
            throw new IllegalStateException("the sequence numbers of this epoch are used up");
        }
        long firstSeq = index.last() + 1;
        for (SensorEvent event : events) {
            boolean old = wallUs - event.eventTsUs() > OLD_EVENT_US;
            index.add(event.payload().length, event.type(), old, false);
        }
        produced += events.size();
        out.add(new Effect.Append(epoch, firstSeq, events, state()));
        if (settings.whenFull() == SensorSettings.WhenFull.EVICT_OLDEST) {
            evict(sender, out);
        }
    }

    private void evict(Sender sender, List<Effect> out) {
        int evicted = 0;
        while (index.size() > settings.maxSpoolEvents() || index.heldBytes() > settings.maxSpoolBytes()) {
            index.removeFirst();
            evicted++;
        }
        if (evicted > 0) {
            sender.trimmed(evicted);
            out.add(new Effect.Trim(epoch, index.floor(), state()));
        }
    }

    /** Fills in epoch, watermark and next_seq of a SENSOR_START. */
    void present(SensorStart.Builder start) {
        epochPresented = epoch != 0 && !(isExhausted() && isSettled());
        if (epochPresented) {
            // first spooled seq - 1, where the next to be spooled counts if there is none
            start.setEpoch((int) epoch)
                    .setWatermark(Math.max(watermark, index.floor() + index.firstHeld()))
                    .setNextSeq(index.last() + 1);
        } else {
            start.setNextSeq(1);
        }
    }

    /** Takes the epoch and watermark of an ACCEPT; false where they contradict what was presented. */
    boolean adopt(long granted, Accept accept, List<Effect> out) {
        long settled = accept.getWatermark();
        if (settled < 0) {
            return false;
        }
        if (epochPresented && granted == epoch) {
            if (settled > index.last()) {
                return false;
            }
            index.restartSession();
            settleIndex(settled, out);
            return true;
        }
        if (epochPresented && accept.getPresentedEpochWatermark() != 0) {
            long held = Math.min(accept.getPresentedEpochWatermark(), index.last());
            settleIndex(held, out);
        }
        renumber(granted, settled, out);
        return true;
    }

    private void renumber(long granted, long newWatermark, List<Effect> out) {
        var renumbered = new EventIndex(newWatermark);
        var seqs = new long[index.held()];
        int moved = 0;
        for (int offset = 0; offset < index.size(); offset++) {
            if (index.isHeld(offset)) {
                seqs[moved++] = index.seq(offset);
                renumbered.addMoved(index, offset, epoch != 0 || index.isRenumbered(offset));
            }
        }
        long from = epoch;
        index = renumbered;
        epoch = granted;
        watermark = newWatermark;
        out.add(new Effect.Renumber(from, seqs, granted, newWatermark + 1, from != 0, state()));
    }

    /** The gateway has settled everything up to {@code upTo}. */
    void settle(long upTo, Sender sender, List<Effect> out) {
        sender.trimmed(settleIndex(upTo, out));
        sender.settledUpTo(upTo);
    }

    private int settleIndex(long upTo, List<Effect> out) {
        if (upTo <= watermark) {
            return 0;
        }
        int removed = upTo <= index.floor() ? 0 : (int) Math.min(upTo - index.floor(), index.size());
        var firstSentUs = new long[removed];
        int timed = 0;
        int held = 0;
        for (int i = 0; i < removed; i++) {
            if (index.isHeld(0) && index.wasEverSent(0)) {
                firstSentUs[timed++] = index.firstSentUs(0);
            }
            held += index.removeFirst() ? 1 : 0;
        }
        watermark = upTo;
        acked += held;
        out.add(new Effect.Trim(epoch, upTo, state()));
        out.add(new Effect.Acked(held, Arrays.copyOf(firstSentUs, timed)));
        return removed;
    }

    /** Gives events up: they are declared with their SKIP. */
    void drop(long from, long to, int reason, List<Effect> out) {
        int first = index.offsetOf(from);
        int last = index.offsetOf(to);
        if (first < 0 || last < 0) {
            return;
        }
        for (int offset = first; offset <= last; offset++) {
            index.markHole(offset, reason);
        }
        out.add(new Effect.Drop(epoch, from, to, reason, state()));
    }

    void sentIn(long sessionId, List<Effect> out) {
        lastSessionId = sessionId;
        out.add(new Effect.Save(state()));
    }

    @Override
    public String toString() {
        return state() + " " + index;
    }
}
