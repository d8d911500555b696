package io.sallyport.envelope.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchCodecTest {
    /** Version 1, field by field; released bytes are never changed. */
    private static final String GOLDEN = "00000005" // epoch 5
            + "0000002a" // batch_id 42
            + "00" // codec none
            + "01" // flags REPLAY
            + "0002" // count 2
            + "00000038" // raw_length 56
            + "426ead25" // crc32c of the block
            + "0000000000000001" // seq 1
            + "00000000000f4240" // event_ts_us 1,000,000
            + "0004" // ProcessStart
            + "0001" // payload_schema 1
            + "00000005" // payload_length 5
            + "68656c6c6f" // "hello"
            + "7fffffffffffffff" // seq 2^63 - 1
            + "ffffffffffffffff" // event_ts_us -1
            + "000b" // NetworkConnectOut
            + "0000" // payload_schema 0
            + "00000003" // payload_length 3
            + "616263"; // "abc"

    @Test
    void shouldWriteAndReadTheGoldenBytes() {
        byte[] body = new BatchBuilder()
                .add(1, 1_000_000, 4, 1, text("hello"))
                .add(Long.MAX_VALUE, -1, 11, 0, text("abc"))
                .build(5, 42, BatchHeader.CODEC_NONE, BatchHeader.FLAG_REPLAY);
        assertThat(HexFormat.of().formatHex(body)).isEqualTo(GOLDEN);

        var buffer = ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN));
        var header = BatchHeader.read(buffer).orElseThrow();
        assertThat(header).isEqualTo(new BatchHeader(5, 42, 0, 1, 2, 56, 0x426ead25));
        var events = new EventCursor(buffer, header.count());
        assertThat(events.next()).isTrue();
        assertThat(events.seq()).isEqualTo(1);
        assertThat(events.payload()).isEqualTo(text("hello"));
        assertThat(events.next()).isTrue();
        assertThat(events.seq()).isEqualTo(Long.MAX_VALUE);
        assertThat(events.eventTsUs()).isEqualTo(-1);
        assertThat(events.eventType()).isEqualTo(11);
        assertThat(events.next()).isFalse();
        assertThat(events.isComplete()).isTrue();
    }

    @Test
    void shouldReadUnsignedFieldsAsUnsigned() {
        var out = ByteBuffer.allocate(BatchHeader.BYTES);
        var header = new BatchHeader(0xFFFF_FFFFL, -1, 255, 255, 0xFFFF, 0xFFFF_FFFFL, -1);
        header.write(out);
        assertThat(BatchHeader.read(out.flip())).contains(header);
        assertThat(header.hasUnknownFlags()).isTrue();
    }

    @Test
    void shouldRefuseToReadAHeaderOfNineteenBytes() {
        assertThat(BatchHeader.read(ByteBuffer.allocate(19))).isEmpty();
    }

    @Test
    void shouldNotCallATornOrPaddedBlockComplete() {
        byte[] body = new BatchBuilder().add(1, 2, 4, 1, text("hello")).build(1, 1, 0, 0);
        for (int cut = BatchHeader.BYTES; cut < body.length; cut++) {
            assertThat(walk(body, cut, 1)).as("cut at %d", cut).isFalse();
        }
        assertThat(walk(body, body.length, 1)).isTrue();
        assertThat(walk(body, body.length, 2)).isFalse();
        assertThat(walk(java.util.Arrays.copyOf(body, body.length + 1), body.length + 1, 1))
                .isFalse();
    }

    @Test
    void shouldNotFollowAPayloadLengthBeyondTheBlock() {
        byte[] body = new BatchBuilder().add(1, 2, 4, 1, text("hello")).build(1, 1, 0, 0);
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 6}) {
            ByteBuffer.wrap(body).putInt(BatchHeader.BYTES + 20, length);
            assertThat(walk(body, body.length, 1)).as("length %d", length).isFalse();
        }
    }

    @Test
    void shouldGiveTheSameEventsBackForEitherCodecAndAnySplit() {
        long seed = 3;
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            var builder = new BatchBuilder();
            int count = 1 + random.nextInt(40);
            long digest = 0;
            for (int i = 0; i < count; i++) {
                var payload = new byte[1 + random.nextInt(3_000)];
                random.nextBytes(payload);
                long seq = 1 + random.nextLong(Long.MAX_VALUE - 1);
                builder.add(
                        seq,
                        random.nextLong(),
                        2 + random.nextInt(10),
                        random.nextInt(65_536),
                        ByteBuffer.wrap(payload));
                digest = digest * 31 + seq + ByteBuffer.wrap(payload).hashCode();
            }
            var body = ByteBuffer.wrap(builder.build(1, round, round % 2, 0));
            var header = BatchHeader.read(body).orElseThrow();
            try (var decoder = new BlockDecoder()) {
                var block = ((BlockDecoder.Result.Decoded)
                                decoder.decode(header.codec(), body, (int) header.rawLength()))
                        .block();
                var events = new EventCursor(block, header.count());
                long found = 0;
                while (events.next()) {
                    found = found * 31 + events.seq() + events.payload().hashCode();
                }
                assertThat(events.isComplete())
                        .as("seed %d round %d", seed, round)
                        .isTrue();
                assertThat(found).as("seed %d round %d", seed, round).isEqualTo(digest);
            }
        }
    }

    private static boolean walk(byte[] body, int end, int count) {
        var events = new EventCursor(ByteBuffer.wrap(body, BatchHeader.BYTES, end - BatchHeader.BYTES), count);
        while (events.next()) {
            assertThat(events.payload().remaining()).isEqualTo(events.payloadLength());
        }
        return events.isComplete();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
