package io.sallyport.sim.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.sim.model.ModelSession;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One rule of the sensor link after the other. */
class SensorCoreTest {
    private final Bench bench = new Bench(SensorSettings.DEFAULTS, new Random(1));

    private void open() {
        bench.advance(1);
        bench.connectIfWanted();
        bench.gatewayReads();
        bench.sensorReads();
        assertThat(bench.core.isOpen()).isTrue();
    }

    private void append(int count, int type) {
        for (int i = 0; i < count; i++) {
            bench.append(bench.event(type, 100));
        }
    }

    private List<Effect> frame(FrameType type, byte[] body) {
        var out = new ArrayList<Effect>();
        bench.core.frame(type, ByteBuffer.wrap(body), bench.nowUs, out);
        return out;
    }

    @Test
    void shouldPresentNoEpochAtFirstAndThenWhatItHolds() {
        open();
        SensorStart first = bench.starts.get(0);
        assertThat(first.hasEpoch()).isFalse();
        assertThat(first.getNextSeq()).isEqualTo(1);
        append(5, EventTypes.FILE_WRITTEN);
        bench.step();
        append(2, EventTypes.FILE_WRITTEN);
        bench.disconnect();
        bench.restart();
        open();
        SensorStart second = bench.starts.get(1);
        assertThat(second.getEpoch()).isEqualTo(1);
        assertThat(second.getWatermark()).isEqualTo(5);
        assertThat(second.getNextSeq()).isEqualTo(8);
        assertThat(second.getBufferDepthEvents()).isEqualTo(2);
        assertThat(second.getLastSessionId()).isEqualTo(1_000);
    }

    @Test
    void shouldSendUrgentTypesInBatchesOfTheirOwnAndLeaveHalfTheWindowToTheLowestNumbers() {
        var split = new Bench(SensorSettings.DEFAULTS.withPrioritySplit(true), new Random(1));
        split.limits = new LinkLimits(1 << 20, 512, 65_536, 4 << 20, 1_024, 10);
        split.advance(1);
        split.connectIfWanted();
        split.gatewayReads();
        split.sensorReads();
        for (int i = 0; i < 30; i++) {
            split.append(split.event(i % 2 == 0 ? EventTypes.FILE_WRITTEN : EventTypes.PROCESS_START, 50));
        }
        while (split.send()) {
            split.gatewayReads();
        }
        assertThat(split.core.unackedEvents()).isEqualTo(10);
        split.settle();
        assertThat(split.breaches).isEmpty();
        // Five urgent ones, then the lowest: the first batch holds numbers 2, 4, 6, 8, 10.
        assertThat(split.cloud.logSeqs.subList(0, 5)).containsExactly(2L, 4L, 6L, 8L, 10L);
        assertThat(split.cloud.logSeqs.get(5)).isEqualTo(1L);
    }

    @Test
    void shouldRenumberWhatIsAboveThePresentedWatermarkWithANewEpoch() {
        open();
        append(6, EventTypes.FILE_WRITTEN);
        bench.step();
        append(4, EventTypes.FILE_WRITTEN);
        bench.disconnect();
        bench.cloud.highWater = 5;
        bench.settle();
        assertThat(bench.core.state().epoch()).isEqualTo(6);
        assertThat(bench.cloud.current().contents.keySet()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        assertThat(bench.cloud.renumberedEvents).isEqualTo(4);
        assertThat(bench.breaches).isEmpty();
    }

    @Test
    void shouldStopForThrottleDrainAndLogUnavailable() {
        open();
        append(3, EventTypes.FILE_WRITTEN);
        bench.session.ack(500);
        bench.collect();
        bench.sensorReads();
        assertThat(bench.send()).isFalse();
        bench.advance(499);
        assertThat(bench.send()).isFalse();
        bench.advance(1);
        bench.faults = new ModelSession.Faults() {};
        assertThat(bench.send()).isTrue();
        Reject unavailable = Reject.newBuilder()
                .setCode(RejectCode.LOG_UNAVAILABLE)
                .setBatchId(1)
                .setRetryAfterMs(700)
                .build();
        frame(FrameType.REJECT, unavailable.toByteArray());
        bench.advance(699);
        assertThat(bench.send()).isFalse();
        bench.advance(1);
        assertThat(bench.send()).isTrue();
        append(1, EventTypes.FILE_WRITTEN);
        bench.session.drain(0);
        bench.collect();
        bench.sensorReads();
        assertThat(bench.send()).isFalse();
    }

    @Test
    void shouldGoUpFromTheWatermarkOneBatchAtATimeAfterAckWindowExceeded() {
        bench.limits = new LinkLimits(1 << 20, 2, 65_536, 4 << 20, 1_024, 100);
        open();
        append(10, EventTypes.FILE_WRITTEN);
        while (bench.send()) {}
        Reject exceeded = Reject.newBuilder()
                .setCode(RejectCode.ACK_WINDOW_EXCEEDED)
                .setBatchId(4)
                .build();
        frame(FrameType.REJECT, exceeded.toByteArray());
        bench.advance(100);
        var out = new ArrayList<Effect>();
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        assertThat(((Effect.Batch) out.get(0)).seqs()).containsExactly(1, 2);
        assertThat(bench.core.send(bench.nowUs, new ArrayList<>())).isFalse();
        var moved = ByteBuffer.allocate(Ack.BYTES);
        new Ack(1, 2, 0).write(moved);
        frame(FrameType.ACK, moved.array());
        assertThat(bench.core.send(bench.nowUs, new ArrayList<>())).isTrue();
        assertThat(bench.core.send(bench.nowUs, new ArrayList<>())).isTrue();
    }

    @Test
    void shouldSendAgainWhatStaysUnacknowledgedFor30Seconds() {
        open();
        append(2, EventTypes.FILE_WRITTEN);
        assertThat(bench.send()).isTrue();
        bench.advance(29_999);
        assertThat(bench.send()).isFalse();
        bench.advance(1);
        var out = new ArrayList<Effect>();
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        Effect.Batch again = (Effect.Batch) out.get(0);
        assertThat(again.seqs()).containsExactly(1, 2);
        assertThat(again.flags()).isEqualTo(BatchHeader.FLAG_REPLAY);
        assertThat(again.firstSends()).isZero();
    }

    @Test
    void shouldSkipRefusedEventsInOneRunAfterThreeRefusalsAndASplit() {
        Set<Long> bad = new HashSet<>();
        var refusals = new ArrayList<Integer>();
        bench.faults = new ModelSession.Faults() {
            @Override
            public Optional<Reject> batch(BatchHeader header, List<Long> contents) {
                if (contents.stream().noneMatch(bad::contains)) {
                    return Optional.empty();
                }
                refusals.add(contents.size());
                return Optional.of(
                        Reject.newBuilder().setCode(RejectCode.BATCH_TOO_LARGE).build());
            }
        };
        open();
        for (int i = 1; i <= 8; i++) {
            SensorEvent event = bench.event(EventTypes.FILE_WRITTEN, 50);
            bench.append(event);
            if (i == 3 || i == 4 || i == 5 || i == 7) {
                bad.add(Bench.contentOf(event));
            }
        }
        bench.settle();
        assertThat(refusals).containsExactly(8, 8, 8, 1, 1, 1, 1);
        assertThat(bench.cloud.current().skips).containsOnlyKeys(3L, 4L, 5L, 7L).containsValue(Skip.REASON_REFUSED);
        assertThat(bench.core.skipped()).isEqualTo(4);
        assertThat(bench.cloud.skipFrames).isEqualTo(2);
    }

    @Test
    void shouldSendASkipAgainThatStaysUnacknowledgedFor30Seconds() {
        open();
        append(3, EventTypes.FILE_WRITTEN);
        bench.disk.events.remove(2L);
        bench.restart();
        open();
        var skip = new Effect.SendSkip(new Skip(1, 2, 2, Skip.REASON_SPOOL_LOST));
        var out = new ArrayList<Effect>();
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        assertThat(out).endsWith(skip);
        bench.advance(29_999);
        while (bench.core.send(bench.nowUs, out)) {}
        assertThat(out.stream().filter(skip::equals)).hasSize(1);
        bench.advance(1);
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        assertThat(out.stream().filter(skip::equals)).hasSize(2);
    }

    @Test
    void shouldFlagAsReplayWhatWaitedForASession() {
        open();
        bench.disconnect();
        append(2, EventTypes.FILE_WRITTEN);
        bench.advance(5_000);
        open();
        append(1, EventTypes.FILE_WRITTEN);
        var out = new ArrayList<Effect>();
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        assertThat(bench.core.send(bench.nowUs, out)).isTrue();
        List<Effect.Batch> batches = out.stream()
                .filter(Effect.Batch.class::isInstance)
                .map(Effect.Batch.class::cast)
                .toList();
        assertThat(batches.get(0).flags()).isEqualTo(BatchHeader.FLAG_REPLAY);
        assertThat(batches.get(0).seqs()).containsExactly(1, 2);
        assertThat(batches.get(1).flags()).isZero();
    }

    @Test
    void shouldSkipWhatTheSpoolLost() {
        open();
        append(6, EventTypes.FILE_WRITTEN);
        bench.disk.events.remove(3L);
        bench.disk.events.remove(4L);
        bench.restart();
        bench.settle();
        assertThat(bench.cloud.current().skips).containsOnlyKeys(3L, 4L).containsValue(Skip.REASON_SPOOL_LOST);
        assertThat(bench.core.skipped()).isEqualTo(2);
    }

    @Test
    void shouldSkipWhatCannotBeReadWhenItIsSent() {
        open();
        append(6, EventTypes.FILE_WRITTEN);
        bench.disk.events.remove(2L);
        bench.settle();
        assertThat(bench.cloud.current().skips).containsOnlyKeys(2L).containsValue(Skip.REASON_SPOOL_LOST);
        assertThat(bench.cloud.current().contents).hasSize(5);
    }

    @Test
    void shouldSkipTheEvictedFrontWhileTheSessionGoesOn() {
        var evicting = new Bench(
                SensorSettings.DEFAULTS.withSpool(5, 1 << 20, SensorSettings.WhenFull.EVICT_OLDEST), new Random(1));
        evicting.advance(1);
        evicting.connectIfWanted();
        evicting.gatewayReads();
        evicting.sensorReads();
        for (int i = 0; i < 12; i++) {
            evicting.append(evicting.event(EventTypes.FILE_WRITTEN, 50));
        }
        evicting.settle();
        assertThat(evicting.cloud.current().skips).hasSize(7).containsValue(Skip.REASON_EVICTED);
        assertThat(evicting.cloud.current().contents).hasSize(5);
        assertThat(evicting.core.skipped()).isEqualTo(7);
    }

    @Test
    void shouldRememberTheLast1024MessagesOverARestart() {
        open();
        for (int i = 0; i < 1_025; i++) {
            bench.session.send(
                    FrameType.MESSAGE, Message.newBuilder().setMsgId("m-" + i).build());
        }
        bench.collect();
        bench.step();
        bench.restart();
        open();
        assertThat(remembers("m-1024")).isFalse();
        assertThat(remembers("m-1")).isFalse();
        assertThat(remembers("m-0")).isTrue();
    }

    /** Whether the message is a new one, that is recorded before it is answered. */
    private boolean remembers(String msgId) {
        List<Effect> effects = frame(
                FrameType.MESSAGE, Message.newBuilder().setMsgId(msgId).build().toByteArray());
        assertThat(effects.get(effects.size() - 1))
                .isInstanceOfSatisfying(
                        Effect.Send.class, send -> assertThat(send.type()).isEqualTo(FrameType.MESSAGE_ACK));
        return effects.get(0) instanceof Effect.Remember;
    }

    @Test
    void shouldPingASilentGatewayAndLeaveItAfterThreeUnansweredOnes() {
        open();
        var out = new ArrayList<Effect>();
        for (int seconds = 0; seconds < 300 && out.stream().noneMatch(Effect.Disconnect.class::isInstance); seconds++) {
            bench.nowUs += 1_000_000;
            bench.core.timer(bench.nowUs, out);
        }
        assertThat(out.stream().filter(effect -> effect instanceof Effect.Send send && send.type() == FrameType.PING))
                .hasSize(3);
        assertThat(out.get(out.size() - 1)).isInstanceOf(Effect.Disconnect.class);
    }

    @Test
    void shouldFollowThreeHopsAndThenBackOff() {
        bench.faults = new ModelSession.Faults() {
            @Override
            public Optional<Reject> start(SensorStart start) {
                return Optional.of(Reject.newBuilder()
                        .setCode(RejectCode.MOVED)
                        .setEndpoint("cell:" + bench.connects.size())
                        .build());
            }
        };
        for (int i = 0; i < 60; i++) {
            bench.advance(100);
            bench.step();
        }
        assertThat(bench.connects).startsWith("", "cell:1", "cell:2", "cell:3", "", "cell:5");
    }

    @Test
    void shouldBackOffWithFullJitterAndNeverBeforeRetryAfter() {
        var backoff = new Backoff(1_000, 300_000);
        assertThat(backoff.delayMs(0, 0)).isEqualTo(1_000);
        long highest = 0;
        for (int i = 0; i < 12; i++) {
            backoff.failed();
            assertThat(backoff.delayMs(0, 0)).isEqualTo(1_000);
            assertThat(backoff.delayMs(0, 7_000)).isEqualTo(7_000);
            assertThat(backoff.delayMs(1, 0)).isGreaterThanOrEqualTo(highest).isLessThanOrEqualTo(300_000);
            highest = backoff.delayMs(1, 0);
        }
        assertThat(highest).isEqualTo(300_000);
        backoff.failedForGood();
        assertThat(backoff.delayMs(0, 0)).isEqualTo(150_000);
        backoff.succeeded();
        assertThat(backoff.delayMs(1, 0)).isEqualTo(2_000);
    }

    @Test
    void shouldLeaveAGatewayThatAcknowledgesWhatWasNeverSent() {
        open();
        append(2, EventTypes.FILE_WRITTEN);
        var wrong = ByteBuffer.allocate(Ack.BYTES);
        new Ack(1, 3, 0).write(wrong);
        assertThat(frame(FrameType.ACK, wrong.array())).singleElement().isInstanceOf(Effect.Disconnect.class);
        assertThat(bench.core.state().watermark()).isZero();
    }
}
