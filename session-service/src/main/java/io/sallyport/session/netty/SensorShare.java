package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.sallyport.session.core.TenantFlow;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds one connection to its part of the customer's rate: first the sensor is asked to wait, and when it is behind by
 * more than it would be if it had waited, its socket is not read. Belongs to the connection's event loop.
 */
final class SensorShare {
    /** A sensor that waits when it is asked to has less than this on its way. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Channel channel;
    private final ReadGate gate;
    private final LongSupplier clockMs;
    private TenantFlow.@Nullable Share share;
    private boolean waiting;

    /** @param clockMs monotonic */
    SensorShare(Channel channel, ReadGate gate, LongSupplier clockMs) {
        this.channel = channel;
        this.gate = gate;
        this.clockMs = clockMs;
    }

    /** The connection has a session. The sensor may still owe what it sent with the one before. */
    void begin(TenantFlow flow, String sensorId) {
        share = flow.join(sensorId);
        hold(share);
    }

    void charge(long bytes, int events) {
        if (share != null) {
            share.charge(bytes, events, nowNanos());
            hold(share);
        }
    }

    /** How long the sensor should wait; 0 = not at all. */
    int waitMs() {
        return share == null ? 0 : (int) TimeUnit.NANOSECONDS.toMillis(share.waitNanos(nowNanos()));
    }

    void end() {
        if (share != null) {
            share.close();
            share = null;
        }
    }

    private void hold(TenantFlow.Share held) {
        long over = held.waitNanos(nowNanos()) - PATIENCE_NANOS;
        if (!waiting && over > 0) {
            waiting = true;
            gate.overShare(true);
            channel.eventLoop().schedule(this::look, over, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        waiting = false;
        if (share != null) {
            hold(share);
        }
        if (!waiting) {
            gate.overShare(false);
        }
    }

    private long nowNanos() {
        return TimeUnit.MILLISECONDS.toNanos(clockMs.getAsLong());
    }
}
