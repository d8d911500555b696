package io.sallyport.session.config;

import io.sallyport.session.kafka.NodeHeartbeat;
import org.springframework.context.SmartLifecycle;

/** The node gives signs of life from before its first session until after its last. */
final class HeartbeatLifecycle implements SmartLifecycle {
    private final NodeHeartbeat heartbeat;
    private volatile boolean running;

    HeartbeatLifecycle(NodeHeartbeat heartbeat) {
        this.heartbeat = heartbeat;
    }

    @Override
    public void start() {
        heartbeat.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        heartbeat.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** It needs the control producer, and sessions need it. */
    @Override
    public int getPhase() {
        return ControlPlaneLifecycle.PHASE + 100;
    }
}
