package io.sallyport.session.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.session.core.TenantFlow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A connection whose socket is not read while it is far over its share; the clock is the test's. */
class SensorShareTest {
    private static final TenantFlow.Rate LEAST = new TenantFlow.Rate(1, 1);

    private final FrameDecoder decoder = new FrameDecoder(LinkLimits.DEFAULTS, new UnfinishedFrames(1 << 20), () -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);
    private final TenantFlow flow = new TenantFlow(LEAST, LinkLimits.DEFAULTS, 0);
    private final ReadGate gate =
            new ReadGate(channel, decoder, new MemoryBudget(1 << 30, 1 << 20), 1 << 30, reading -> {});
    private long nowMs;
    private final SensorShare share = new SensorShare(channel, gate, () -> nowMs);

    SensorShareTest() {
        channel.freezeTime();
        share.begin(flow.join("s-1", 0));
    }

    private void pass(int ms) {
        nowMs += ms;
        channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private boolean isRead() {
        return channel.config().isAutoRead();
    }

    @Test
    void shouldLookAgainBeforeTheDebtOfALowRateIsPaid() {
        share.charge(1_000_000, 1);
        pass(60_000);
        assertThat(isRead()).isFalse();
        flow.changeRate(new TenantFlow.Rate(1_000_000, 1_000), nowMs * 1_000_000);
        assertThat(isRead()).isFalse();
        pass(1_000);
        assertThat(isRead()).isTrue();
        assertThat(share.waitMs()).isZero();
    }

    @Test
    void shouldReadAgainWhenItIsASecondBehindAndNotBefore() {
        flow.changeRate(new TenantFlow.Rate(1_000, 1_000), 0);
        share.charge(3_500, 1);
        pass(1_400);
        assertThat(isRead()).isFalse();
        pass(100);
        assertThat(isRead()).isTrue();
        assertThat(share.waitMs()).isEqualTo(1_000);
    }

    @Test
    void shouldLeaveNoTimerBehind() {
        share.charge(1_000_000, 1);
        assertThat(channel.runScheduledPendingTasks()).isPositive();
        share.end();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    }

    /** 92 days. */
    @Test
    void shouldAskForAWaitThatIsLongerThanCanBeSaid() {
        share.charge(100_000_000, 1);
        assertThat(share.waitMs()).isEqualTo(Integer.MAX_VALUE);
        assertThat(isRead()).isFalse();
    }
}
