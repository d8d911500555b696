package io.sallyport.router.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that is open for one sensor. What is settled is kept beside it, one row per message.
 *
 * @param session newest session of the directory
 * @param open pending and in flight, in the order of delivery: by lane, then by revision
 * @param marks what was seen and sent so far, so that a late older revision is recognised
 * @param purgeUs when settled rows of this sensor may be forgotten; 0 = there are none
 * @param dueUs when this sensor needs attention without a new event; {@link #NEVER} = not at all
 */
public record SensorState(Optional<Session> session, List<Entry> open, Marks marks, long purgeUs, long dueUs) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final SensorState EMPTY =
            new SensorState(Optional.empty(), List.of(), new Marks(Map.of(), Map.of()), 0, NEVER);

    public SensorState {
        open = List.copyOf(open);
    }

    /**
     * Highest revisions.
     *
     * @param newest accepted, by coalescing group
     * @param pushed sent to the sensor, by message type
     */
    public record Marks(Map<String, Long> newest, Map<Integer, Long> pushed) {
        /** Groups that are remembered; beyond, the one with the lowest revision is forgotten. */
        public static final int MAX_GROUPS = 256;

        public Marks {
            newest = Map.copyOf(newest);
            pushed = Map.copyOf(pushed);
        }
    }
}
