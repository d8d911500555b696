package io.sallyport.sim.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.SensorStart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sensor's part of the case where the sequence reaches its end. */
class H09SequenceEndTest {
    private static final SensorEvent EVENT = new SensorEvent(1, 7, 1, new byte[10]);

    @Test
    void shouldAskForANewEpochAtTheEndOfTheSequence() {
        long max = Long.MAX_VALUE;
        var state = new SensorState(3, max - 3, max - 3, 1_000, max - 3, max - 3);
        var core = new SensorCore(
                Bench.KEY,
                HostMetadata.getDefaultInstance(),
                SensorSettings.DEFAULTS,
                new Recovered(state, List.of(), List.of()));
        var out = new ArrayList<Effect>();
        core.timer(1, out);
        core.connected("", 2, out);
        SensorStart start = ((Effect.Start) out.get(out.size() - 1)).start();
        assertThat(start.getNextSeq()).isEqualTo(max - 2);
        core.frame(FrameType.ACCEPT, accept(3, max - 3, EpochVerdict.RESUMED), 3, out);
        assertThat(core.room()).isEqualTo(3);
        core.append(List.of(EVENT, EVENT, EVENT), 0, out);
        assertThat(core.room()).isZero();
        out.clear();
        assertThat(core.send(4, out)).isTrue();
        assertThat(((Effect.Batch) out.get(out.size() - 1)).seqs()).containsExactly(max - 2, max - 1, max);
        out.clear();
        var body = ByteBuffer.allocate(Ack.BYTES);
        new Ack(3, max, 0).write(body);
        core.frame(FrameType.ACK, body.flip(), 5, out);
        assertThat(core.isSettled()).isTrue();
        out.clear();
        core.timer(6, out);
        assertThat(out).singleElement().isInstanceOf(Effect.Disconnect.class);
        out.clear();
        core.disconnected(7, 0.5, out);
        assertThat(out).containsExactly(new Effect.Connect(""));
        core.connected("", 8, out);
        SensorStart asking = ((Effect.Start) out.get(out.size() - 1)).start();
        assertThat(asking.hasEpoch()).isFalse();
        assertThat(asking.getNextSeq()).isEqualTo(1);
        core.frame(FrameType.ACCEPT, accept(4, 0, EpochVerdict.NEW_EPOCH_FIRST), 9, out);
        assertThat(core.room()).isPositive();
        out.clear();
        core.append(List.of(EVENT), 0, out);
        assertThat(((Effect.Append) out.get(0)).epoch()).isEqualTo(4);
        assertThat(((Effect.Append) out.get(0)).firstSeq()).isEqualTo(1);
    }

    private static ByteBuffer accept(long epoch, long watermark, EpochVerdict verdict) {
        return ByteBuffer.wrap(Accept.newBuilder()
                .setEpoch((int) epoch)
                .setWatermark(watermark)
                .setSessionId(2_000)
                .setVerdict(verdict)
                .build()
                .toByteArray());
    }
}
