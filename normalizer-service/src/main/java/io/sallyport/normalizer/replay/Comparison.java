package io.sallyport.normalizer.replay;

import io.sallyport.envelope.hash.ContentHash;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares what was derived with what stands there. Both come in the order of `raw`, so that only what has no counterpart yet
 * is kept: memory is that of the differences, and of what lies between the two readers. Pure; belongs to one thread.
 */
final class Comparison {
    private static final int MOST_EXAMPLES = 20;

    private final ContentHash hashes = new ContentHash();
    private final Map<String, Long> derived = new HashMap<>();
    private final Map<String, Long> standing = new HashMap<>();
    private final Map<String, Integer> markers = new HashMap<>();
    private final List<String> examples = new ArrayList<>();
    private long same;
    private long changed;

    void derived(Envelope event) {
        meet(identity(event), hash(event), derived, standing);
    }

    void standing(Envelope event) {
        meet(identity(event), hash(event), standing, derived);
    }

    private void meet(String identity, long hash, Map<String, Long> own, Map<String, Long> others) {
        Long other = others.remove(identity);
        if (other == null) {
            own.put(identity, hash);
        } else if (other == hash) {
            same++;
        } else {
            changed++;
            example("other content: " + identity);
        }
    }

    void derived(CoverageMarker marker) {
        markers.merge(text(marker), 1, Comparison::sum);
    }

    void standing(CoverageMarker marker) {
        markers.merge(text(marker), -1, Comparison::sum);
    }

    private static @Nullable Integer sum(int one, int other) {
        // Null removes what is even.
        return one + other == 0 ? null : Integer.valueOf(one + other);
    }

    /** Ends a shard. */
    Differences result() {
        derived.keySet().forEach(identity -> example("missing: " + identity));
        standing.keySet().forEach(identity -> example("should not be there: " + identity));
        long markersMissing = 0;
        long markersAdded = 0;
        for (Map.Entry<String, Integer> marker : markers.entrySet()) {
            example((marker.getValue() > 0 ? "missing: " : "should not be there: ") + marker.getKey());
            markersMissing += Math.max(0, marker.getValue());
            markersAdded += Math.max(0, -marker.getValue());
        }
        return new Differences(same, derived.size(), standing.size(), changed, markersMissing, markersAdded, examples);
    }

    private void example(String line) {
        if (examples.size() < MOST_EXAMPLES) {
            examples.add(line);
        }
    }

    private long hash(Envelope event) {
        return hashes.of(
                event.getEventType(),
                event.getPayloadSchema(),
                event.getEventTsUs(),
                hashes.payloadDigest(event.getPayload().asReadOnlyByteBuffer()));
    }

    private static String identity(Envelope event) {
        return event.getCustomerId() + "/" + event.getSensorId() + " epoch "
                + Integer.toUnsignedString(event.getEpoch()) + " seq " + Long.toUnsignedString(event.getSeq());
    }

    private static String text(CoverageMarker marker) {
        var ranges = new StringBuilder();
        marker.getRangesList()
                .forEach(range ->
                        ranges.append(' ').append(range.getFrom()).append('-').append(range.getTo()));
        return marker.getCustomerId() + "/" + marker.getSensorId() + " epoch "
                + Integer.toUnsignedString(marker.getEpoch()) + " marker " + marker.getReason() + ranges + " "
                + marker.getDetail();
    }
}
