package io.sallyport.envelope.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SmallFramesTest {
    @Test
    void shouldKeepTheBytesOfAck() {
        var out = ByteBuffer.allocate(Ack.BYTES);
        var ack = new Ack(0xFFFF_FFFFL, 0x0102030405060708L, 250);
        ack.write(out);
        assertThat(hex(out)).isEqualTo("ffffffff" + "0102030405060708" + "000000fa");
        assertThat(Ack.read(out.flip())).contains(ack);
        assertThat(Ack.read(ByteBuffer.allocate(15))).isEmpty();
        assertThat(Ack.read(ByteBuffer.allocate(17))).isEmpty();
    }

    @Test
    void shouldKeepTheBytesOfSkip() {
        var skip = new Skip(2, 3, 4, 65_535);
        assertThat(HexFormat.of().formatHex(skip.toBytes()))
                .isEqualTo("00000002" + "0000000000000003" + "0000000000000004" + "ffff");
        assertThat(Skip.read(ByteBuffer.wrap(skip.toBytes()))).contains(skip);
        assertThat(Skip.read(ByteBuffer.allocate(21))).isEmpty();
    }

    @Test
    void shouldKnowAWellFormedSkip() {
        assertThat(new Skip(1, 1, 1, 1).isWellFormed()).isTrue();
        assertThat(new Skip(1, 1, 1L << 20, 1).isWellFormed()).isTrue();
        assertThat(new Skip(1, 1, (1L << 20) + 1, 1).isWellFormed()).isFalse();
        assertThat(new Skip(1, Long.MAX_VALUE, Long.MAX_VALUE, 1).isWellFormed())
                .isTrue();
        assertThat(new Skip(1, 0, 1, 1).isWellFormed()).isFalse();
        assertThat(new Skip(1, 2, 1, 1).isWellFormed()).isFalse();
        assertThat(new Skip(1, 1, -1, 1).isWellFormed()).isFalse();
        assertThat(new Skip(1, -5, 3, 1).isWellFormed()).isFalse();
    }

    @Test
    void shouldKeepTheBytesOfDrainAndStats() {
        var out = ByteBuffer.allocate(Drain.BYTES);
        new Drain(30_000, 5_000).write(out);
        assertThat(hex(out)).isEqualTo("00007530" + "00001388");
        assertThat(Drain.read(out.flip())).contains(new Drain(30_000, 5_000));

        var stats = ByteBuffer.allocate(Stats.BYTES);
        new Stats(7, 9).write(stats);
        assertThat(hex(stats)).isEqualTo("0000000000000007" + "0000000000000009");
        assertThat(Stats.read(stats.flip())).contains(new Stats(7, 9));
        assertThat(Stats.read(ByteBuffer.allocate(8))).isEmpty();
    }

    @Test
    void shouldKnowTheFramesOfVersionOneAndNoOther() {
        for (int code = -1; code < 300; code++) {
            assertThat(FrameType.of(code).isPresent()).as("code %d", code).isEqualTo(code >= 1 && code <= 0x0D);
        }
        assertThat(FrameType.of(0x04)).contains(FrameType.BATCH);
        assertThat(FrameType.PING.isFromSensor() && FrameType.PING.isFromGateway())
                .isTrue();
        assertThat(FrameType.ACK.isFromSensor()).isFalse();
    }

    private static String hex(ByteBuffer written) {
        return HexFormat.of().formatHex(written.array(), 0, written.position());
    }
}
