package io.sallyport.router.core;

import java.util.List;
import java.util.Set;

/**
 * The outcome of one decision.
 *
 * @param state the sensor's new state
 * @param effects in order
 * @param missingBodies msg_ids that could be sent now if their body were here
 */
public record Transition(SensorState state, List<Effect> effects, Set<String> missingBodies) {
    public Transition {
        effects = List.copyOf(effects);
        missingBodies = Set.copyOf(missingBodies);
    }
}
