package io.sallyport.sim.spool;

import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.Recovered;
import io.sallyport.sim.core.SensorEvent;
import org.jspecify.annotations.Nullable;

/**
 * The spool of one sensor: it executes the spool effects of the core, each in one atomic step, an append in
 * one or more, that is durable when the call returns. How durable, says the implementation.
 */
public interface SensorSpool {

    /** What is there at the start. Called once, before anything else. */
    Recovered recover();

    void append(Effect.Append append);

    void save(Effect.Save save);

    void trim(Effect.Trim trim);

    void drop(Effect.Drop drop);

    void renumber(Effect.Renumber renumber);

    void remember(Effect.Remember remember);

    /** The event of a number; null where it is not there or is not what was written. */
    @Nullable
    SensorEvent read(long epoch, long seq);
}
