package io.sallyport.fanout.config;

import io.sallyport.edge.read.TopicTail;
import io.sallyport.edge.streams.RunningTopology;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The order of a start: topics are checked, control data and decisions are read, then requests are decided, and then
 * the edges open. A stop is the other way round.
 */
final class FanoutStart implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(FanoutStart.class);
    private static final long LOAD_TIMEOUT_S = 120;

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
                tail.loaded().get(LOAD_TIMEOUT_S, TimeUnit.SECONDS);
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
