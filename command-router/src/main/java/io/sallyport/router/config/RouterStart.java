package io.sallyport.router.config;

import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.router.kafka.KafkaBodies;
import io.sallyport.router.kafka.KafkaControl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** The order of a start and of a stop: nothing is decided before the control data is here. */
final class RouterStart implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(RouterStart.class);
    private static final long CONTROL_TIMEOUT_MS = 60_000;
    private static final long CONTROL_STEP_MS = 20;

    private final TopicCheck check;
    private final KafkaControl control;
    private final KafkaBodies bodies;
    private final RunningTopology streams;
    private volatile boolean running;

    /** Throws where the broker's topics are not those of the catalogue. */
    interface TopicCheck {
        void run() throws InterruptedException;
    }

    RouterStart(TopicCheck check, KafkaControl control, KafkaBodies bodies, RunningTopology streams) {
        this.check = check;
        this.control = control;
        this.bodies = bodies;
        this.streams = streams;
    }

    @Override
    public void start() {
        try {
            check.run();
            control.start();
            bodies.start();
            awaitControl();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting", e);
        }
        streams.start();
        running = true;
        LOG.info("the command router has started");
    }

    @Override
    public void stop() {
        running = false;
        streams.close();
        bodies.close();
        control.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void awaitControl() throws InterruptedException {
        long giveUpMs = System.currentTimeMillis() + CONTROL_TIMEOUT_MS;
        while (!control.isLoaded()) {
            if (System.currentTimeMillis() > giveUpMs) {
                throw new IllegalStateException("the control topics cannot be read");
            }
            Thread.sleep(CONTROL_STEP_MS);
        }
    }
}
