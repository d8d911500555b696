package io.sallyport.router.core;

import io.sallyport.envelope.identity.SensorKey;
import java.util.Optional;

/**
 * The one entry to the rules of the per-sensor queue (semantics, section 6). Pure: the same arguments give the same
 * outcome, and nothing but the outcome changes.
 */
public final class QueueRules {
    private QueueRules() {}

    /**
     * @param sensor whose queue it is: the key of the record that the event came with
     * @param nowUs wall clock, microseconds since 1970
     */
    public static Transition next(
            SensorKey sensor, SensorState state, QueueEvent event, Surroundings around, long nowUs, Limits limits) {
        var turn = new Turn(sensor, state, around, nowUs, limits);
        if (event instanceof QueueEvent.Entered entered) {
            Admission.enter(turn, entered.entry());
        } else if (event instanceof QueueEvent.Answered answered) {
            Answers.apply(turn, answered.result());
        } else if (event instanceof QueueEvent.SessionChanged changed) {
            Directory.apply(turn, changed.session());
        } else if (event instanceof QueueEvent.SensorRetired) {
            turn.session = Optional.empty();
        }
        return Delivery.run(turn);
    }
}
