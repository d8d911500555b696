package io.sallyport.session.config;

import io.sallyport.edge.streams.RunningTopology;
import org.springframework.context.SmartLifecycle;

/** Starts the epoch authority before whoever asks it, and stops it after them. */
final class AuthorityLifecycle implements SmartLifecycle {
    static final int PHASE = 0;

    private final RunningTopology authority;
    private volatile boolean running;

    AuthorityLifecycle(RunningTopology authority) {
        this.authority = authority;
    }

    @Override
    public void start() {
        authority.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        authority.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
