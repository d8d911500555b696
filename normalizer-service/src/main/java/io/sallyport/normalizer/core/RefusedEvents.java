package io.sallyport.normalizer.core;

import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.watermark.SeqRangeSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Gathers the events of one batch that are refused, and turns them into one marker per cause and as few quarantine
 * records as their size allows. What is kept of them is a BATCH body of just these events, so that it can be put back
 * into `raw` as it is.
 */
final class RefusedEvents {
    /** A body is closed beyond this, so that it fits its record with room to spare. */
    private static final int BODY_BYTES = 512 << 10;

    private final BatchHeader header;
    private final byte[] rawValue;
    private final int maxOriginalBytes;
    private final Explanations out;
    private final Map<Refusal, Group> groups = new EnumMap<>(Refusal.class);

    private static final class Group {
        final SeqRangeSet all = new SeqRangeSet();
        final SeqRangeSet inBody = new SeqRangeSet();
        final BatchBuilder body = new BatchBuilder();
        final TreeSet<Integer> types = new TreeSet<>();
        String detail = "";
        int firstIndex;
    }

    RefusedEvents(BatchHeader header, byte[] rawValue, int maxOriginalBytes, Explanations out) {
        this.header = header;
        this.rawValue = rawValue;
        this.maxOriginalBytes = maxOriginalBytes;
        this.out = out;
    }

    /** Refuses the cursor's current event. */
    void add(Refusal refusal, EventCursor event) {
        add(refusal, event, "");
    }

    /** Refuses it with a detail of its own, and so in a quarantine record of its own. */
    void addAlone(Refusal refusal, EventCursor event, String detail) {
        add(refusal, event, detail);
        closeBody(refusal, group(refusal));
    }

    private void add(Refusal refusal, EventCursor event, String detail) {
        Group group = group(refusal);
        group.detail = detail;
        group.all.add(event.seq());
        group.types.add(event.eventType());
        if (!refusal.kept()) {
            return;
        }
        int eventBytes = EventCursor.HEADER_BYTES + event.payloadLength();
        if (BatchHeader.BYTES + eventBytes > maxOriginalBytes) {
            // It fitted its frame only compressed: the frame as received stands for it.
            var alone = new SeqRangeSet();
            alone.add(event.seq());
            out.quarantine(
                    header.epoch(),
                    alone,
                    refusal.reason(),
                    detail(refusal, group),
                    new Effect.Original(rawValue, true, event.index()));
            return;
        }
        if (group.body.count() > 0 && group.body.blockBytes() + eventBytes > BODY_BYTES) {
            closeBody(refusal, group);
        }
        if (group.body.count() == 0) {
            group.firstIndex = event.index();
        }
        group.inBody.add(event.seq());
        group.body.add(event.seq(), event.eventTsUs(), event.eventType(), event.payloadSchema(), event.payload());
    }

    /** Writes what is still open, and the markers. */
    void finish() {
        groups.forEach((refusal, group) -> {
            closeBody(refusal, group);
            out.mark(header.epoch(), group.all.ranges(), refusal.stage(), refusal.reason(), detail(refusal, group));
        });
    }

    private Group group(Refusal refusal) {
        return groups.computeIfAbsent(refusal, r -> new Group());
    }

    private void closeBody(Refusal refusal, Group group) {
        if (group.body.count() == 0) {
            return;
        }
        byte[] body = group.body.build(header.epoch(), header.batchId(), BatchHeader.CODEC_NONE, header.flags());
        out.quarantine(
                header.epoch(),
                group.inBody,
                refusal.reason(),
                detail(refusal, group),
                new Effect.Original(body, false, group.firstIndex));
        group.inBody.remove(1, Long.MAX_VALUE);
    }

    private static String detail(Refusal refusal, Group group) {
        if (refusal != Refusal.UNREGISTERED) {
            return group.detail;
        }
        var types = new StringJoiner(", ", group.types.size() == 1 ? "event type " : "event types ", "");
        List<Integer> named = new ArrayList<>(group.types).subList(0, Math.min(16, group.types.size()));
        named.forEach(type -> types.add(type.toString()));
        return named.size() == group.types.size()
                ? types.toString()
                : types.add("…").toString();
    }
}
