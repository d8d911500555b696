package io.sallyport.fanout.config;

import io.sallyport.edge.read.TopicTail;
import io.sallyport.edge.streams.RunningTopology;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The order of a start: topics are checked, control data and decisions are read, then requests are decided, and then
 * the edges open. A stop is the other way round.
 */
final class FanoutStart implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(FanoutStart.class);
    /** How long reading may stand still. What there is to read is days of decisions, and takes as long as it takes. */
    private static final long STANDSTILL_MS = 120_000;

    private final TopicCheck check;
    private final Tails tails;
    private final RunningTopology decider;
    private volatile boolean running;

    /** Throws where the broker's topics are not those of the catalogue. */
    interface TopicCheck {
        void run() throws InterruptedException;
    }

    FanoutStart(TopicCheck check, Tails tails, RunningTopology decider) {
        this.check = check;
        this.tails = tails;
        this.decider = decider;
    }

    @Override
    public void start() {
        try {
            check.run();
            tails.all().forEach(TopicTail::start);
            for (TopicTail tail : tails.deciding()) {
                await(tail.loaded(), tail::progress, STANDSTILL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the control topics cannot be read", e);
        }
        decider.start();
        running = true;
        LOG.info("the fan-out has started");
    }

    static void await(Future<Void> loaded, LongSupplier progress, long standstillMs)
            throws InterruptedException, ExecutionException, TimeoutException {
        long before = progress.getAsLong();
        while (true) {
            try {
                loaded.get(standstillMs, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                long now = progress.getAsLong();
                if (now == before) {
                    throw e;
                }
                before = now;
            }
        }
    }

    @Override
    public void stop() {
        running = false;
        decider.close();
        tails.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        // Before both edges, which have phases near the end.
        return 0;
    }
}
