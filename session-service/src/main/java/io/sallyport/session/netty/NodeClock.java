package io.sallyport.session.netty;

import io.sallyport.session.core.Now;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The node's clocks; tests put in their own. */
public interface NodeClock {
    NodeClock SYSTEM = () -> {
        Instant wall = Instant.now();
        return new Now(
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                wall.getEpochSecond() * 1_000_000 + wall.getNano() / 1_000);
    };

    Now now();
}
