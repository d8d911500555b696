package io.sallyport.normalizer.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The effects of one raw record, in order. */
final class Explanations {
    /** Keeps a marker below 100 KB. */
    private static final int MARKER_RANGES = 4_096;

    private final SensorKey sensor;
    private final ArrayList<Effect> effects = new ArrayList<>();

    Explanations(SensorKey sensor) {
        this.sensor = sensor;
    }

    SensorKey sensor() {
        return sensor;
    }

    List<Effect> effects() {
        return effects;
    }

    void add(Effect effect) {
        effects.add(effect);
    }

    /** A marker for ranges, or more where one record could not hold them; none for no ranges. */
    void mark(long epoch, List<SeqRange> ranges, Stage stage, Reason reason, String detail) {
        for (int at = 0; at < ranges.size(); at += MARKER_RANGES) {
            List<SeqRange> part = ranges.subList(at, Math.min(ranges.size(), at + MARKER_RANGES));
            effects.add(new Effect.Mark(Optional.of(sensor), epoch, part, count(part), stage, reason, detail));
        }
    }

    void gap(long epoch, List<SeqRange> ranges, String detail) {
        mark(epoch, ranges, Stage.STAGE_NORMALIZER, Reason.GAP, detail);
    }

    void quarantine(long epoch, SeqRangeSet seqs, Reason reason, String detail, Effect.Original original) {
        effects.add(new Effect.Quarantine(Optional.of(sensor), epoch, seqs.ranges(), reason, detail, original));
    }

    static long count(List<SeqRange> ranges) {
        long count = 0;
        for (SeqRange range : ranges) {
            count += range.count();
        }
        return count;
    }
}
