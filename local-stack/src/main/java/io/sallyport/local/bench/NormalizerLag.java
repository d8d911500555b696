package io.sallyport.local.bench;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.stack.NormalizerProgress;
import io.sallyport.local.stack.StackException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until the normalizer has handled everything that stands in the raw log. */
final class NormalizerLag {
    private static final int LOOK_MS = 200;

    private final String bootstrapServers;

    private final BooleanSupplier alive;

    /** @param alive whether there is still a normalizer to wait for */
    NormalizerLag(String bootstrapServers, BooleanSupplier alive) {
        this.bootstrapServers = bootstrapServers;
        this.alive = alive;
    }

    void awaitNone(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        try (var progress = new NormalizerProgress(bootstrapServers)) {
            while (progress.lag() > 0) {
                if (!alive.getAsBoolean()) {
                    throw new StackException("the normalizer ended while it worked off " + Topics.RAW.name());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new StackException("the normalizer has not worked off " + Topics.RAW.name() + " within "
                            + limit.toMinutes() + " min");
                }
                Thread.sleep(LOOK_MS);
            }
        }
    }
}
