package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.sallyport.session.core.TenantFlow;
import java.util.concurrent.ScheduledFuture;
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
    /** Also the longest that a raised rate is not noticed. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Channel channel;
    private final ReadGate gate;
    private final LongSupplier clockMs;
    private TenantFlow.@Nullable Share share;
    /** While the socket is not read. */
    private @Nullable ScheduledFuture<?> look;

    /** @param clockMs monotonic */
    SensorShare(Channel channel, ReadGate gate, LongSupplier clockMs) {
        this.channel = channel;
        this.gate = gate;
        this.clockMs = clockMs;
    }

    /** The connection has a session. The sensor may still owe what it sent with the one before. */
    void begin(TenantFlow.Share joined) {
        share = joined;
        hold(joined);
    }

    void charge(long bytes, int events) {
        if (share != null) {
            share.charge(bytes, events, nowNanos());
            hold(share);
        }
    }

    /** How long the sensor should wait; 0 = not at all. */
    int waitMs() {
        return share == null
                ? 0
                : (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(share.waitNanos(nowNanos())));
    }

    void end() {
        if (share != null) {
            share.close(nowNanos());
            share = null;
        }
        if (look != null) {
            // It would keep the dead channel in memory.
            look.cancel(false);
            look = null;
        }
    }

    private void hold(TenantFlow.Share held) {
        long over = held.waitNanos(nowNanos()) - PATIENCE_NANOS;
        if (look == null && over > 0) {
            gate.overShare(true);
            lookIn(over);
        }
    }

    private void look() {
        look = null;
        if (share == null) {
            return;
        }
        long over = share.waitNanos(nowNanos()) - PATIENCE_NANOS;
        if (over > 0) {
            lookIn(over);
        } else {
            gate.overShare(false);
        }
    }

    /** The rate may be another one before the debt is paid. */
    private void lookIn(long overNanos) {
        look = channel.eventLoop().schedule(this::look, Math.min(overNanos, LOOK_NANOS), TimeUnit.NANOSECONDS);
    }

    private long nowNanos() {
        return TimeUnit.MILLISECONDS.toNanos(clockMs.getAsLong());
    }
}
