package io.sallyport.local.bench;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.stack.NormalizerProgress;
import io.sallyport.local.stack.StackException;
import java.time.Duration;

/** Waits until the normalizer has handled everything that stands in the raw log. */
final class NormalizerLag {
    private static final int LOOK_MS = 200;

    private final String bootstrapServers;

    NormalizerLag(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    void awaitNone(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        try (var progress = new NormalizerProgress(bootstrapServers)) {
            while (progress.lag() > 0) {
                if (System.nanoTime() - deadline > 0) {
                    throw new StackException("the normalizer has not worked off " + Topics.RAW.name() + " within "
                            + limit.toMinutes() + " min");
                }
                Thread.sleep(LOOK_MS);
            }
        }
    }
}
