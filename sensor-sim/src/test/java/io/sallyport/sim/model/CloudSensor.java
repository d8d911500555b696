package io.sallyport.sim.model;

import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.SensorStart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a model of the cloud knows of one sensor, and what the sensor did against the contract. */
public final class CloudSensor {

    /** One numbering of the sensor's events. */
    public static final class Epoch {
        public long watermark;
        public final SeqRangeSet settled = new SeqRangeSet();
        /** Content of each appended number. */
        public final Map<Long, Long> contents = new HashMap<>();
        /** Reason of each skipped number. */
        public final Map<Long, Integer> skips = new HashMap<>();
        /** At or below it, what has no content was gone before the sensor said so. */
        public long base;

        void settle() {
            watermark = settled.drainContiguous(watermark);
        }
    }

    public final Map<Long, Epoch> epochs = new TreeMap<>();
    public final List<String> breaches = new ArrayList<>();
    /** Contents in the order of the log. */
    public final List<Long> log = new ArrayList<>();
    /** Numbers in the order of the log, of the newest epoch. */
    public final List<Long> logSeqs = new ArrayList<>();

    public long highWater;
    public int starts;
    public int renumberedEvents;
    public int skipFrames;
    private long lastAppendSession;
    private long nextSession = 1_000;

    /** How a start is answered. */
    public record Grant(
            long epoch, long watermark, EpochVerdict verdict, long presentedEpochWatermark, long sessionId) {}

    public Epoch current() {
        return epochs.computeIfAbsent(highWater, epoch -> new Epoch());
    }

    public Grant start(SensorStart start) {
        starts++;
        long session = nextSession++;
        if (start.getNextSeq() == 0 || (start.getNextSeq() > 0 && start.getWatermark() >= start.getNextSeq())) {
            breaches.add("next_seq and watermark contradict each other: " + start);
        }
        if (!start.hasEpoch()) {
            return open(EpochVerdict.NEW_EPOCH_FIRST, 0, session);
        }
        long presented = Integer.toUnsignedLong(start.getEpoch());
        if (presented > highWater) {
            highWater = presented;
            return open(EpochVerdict.DIVERGED, 0, session);
        }
        Epoch epoch = current();
        boolean reused = Long.compareUnsigned(start.getNextSeq(), epoch.watermark) <= 0
                || Long.compareUnsigned(lastAppendSession, start.getLastSessionId()) > 0;
        if (presented < highWater || reused) {
            return open(EpochVerdict.NEW_EPOCH_ROLLBACK, start.getWatermark(), session);
        }
        if (start.getWatermark() > epoch.watermark) {
            epoch.settled.add(epoch.watermark + 1, start.getWatermark());
            epoch.settle();
            epoch.base = start.getWatermark();
        }
        return new Grant(highWater, epoch.watermark, EpochVerdict.RESUMED, 0, session);
    }

    private Grant open(EpochVerdict verdict, long presentedWatermark, long session) {
        highWater++;
        logSeqs.clear();
        current();
        return new Grant(highWater, 0, verdict, presentedWatermark, session);
    }

    void appended(long session, long seq, long content, boolean renumbered) {
        lastAppendSession = session;
        Epoch epoch = current();
        Long before = epoch.contents.putIfAbsent(seq, content);
        if (before == null) {
            log.add(content);
            logSeqs.add(seq);
            renumberedEvents += renumbered ? 1 : 0;
        } else if (before != content) {
            breaches.add("number " + seq + " of epoch " + highWater + " was given to two events");
        }
        if (seq > epoch.watermark) {
            epoch.settled.add(seq);
        }
        epoch.settle();
    }

    void skipped(long session, long from, long to, int reason) {
        lastAppendSession = session;
        skipFrames++;
        Epoch epoch = current();
        for (long i = 0; i <= to - from; i++) {
            epoch.skips.put(from + i, reason);
        }
        if (to > epoch.watermark) {
            epoch.settled.add(Math.max(from, epoch.watermark + 1), to);
        }
        epoch.settle();
    }
}
