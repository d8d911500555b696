package io.sallyport.session.config;

import io.sallyport.session.netty.Gateway;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Opens the listeners when everything below them runs, and drains them before anything below stops: what was taken in
 * still needs the log, and the last reports the control topics.
 */
final class GatewayLifecycle implements SmartLifecycle {
    private final Gateway gateway;
    private final ApplicationContext context;
    private volatile boolean running;

    GatewayLifecycle(Gateway gateway, ApplicationContext context) {
        this.gateway = gateway;
        this.context = context;
    }

    @Override
    public void start() {
        gateway.start();
        running = true;
    }

    @Override
    public void stop(Runnable callback) {
        AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        var draining = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "link-drain");
        draining.start();
    }

    @Override
    public void stop() {
        gateway.stop();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The last to start, the first to stop. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
