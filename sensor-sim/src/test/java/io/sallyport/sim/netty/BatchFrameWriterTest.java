package io.sallyport.sim.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.EventCursor;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class BatchFrameWriterTest {
    private final BatchFrameWriter writer = new BatchFrameWriter(PooledByteBufAllocator.DEFAULT);
    private final Random random = new Random(7);

    private byte[] payload(int bytes) {
        var payload = new byte[bytes];
        random.nextBytes(payload);
        return payload;
    }

    private byte[] finish(long epoch, int batchId, int codec, int flags) {
        ByteBuf frame = writer.finish(epoch, batchId, codec, flags);
        try {
            var bytes = new byte[frame.readableBytes()];
            frame.readBytes(bytes);
            return bytes;
        } finally {
            frame.release();
        }
    }

    @Test
    void shouldWriteTheBytesOfTheContract() {
        var expected = new BatchBuilder();
        writer.begin(10);
        for (int i = 1; i <= 40; i++) {
            byte[] payload = payload(i * 97);
            writer.add(i, -i, 7, 0xFFFF, payload);
            expected.add(i, -i, 7, 0xFFFF, ByteBuffer.wrap(payload));
        }
        byte[] frame = finish(0xFFFFFFFFL, -3, BatchHeader.CODEC_NONE, 3);
        byte[] body = expected.build(0xFFFFFFFFL, -3, BatchHeader.CODEC_NONE, 3);
        ByteBuffer read = ByteBuffer.wrap(frame);
        assertThat(read.getInt()).isEqualTo(1 + body.length);
        assertThat(read.get()).isEqualTo((byte) 0x04);
        assertThat(read.slice()).isEqualTo(ByteBuffer.wrap(body));
    }

    @Test
    void shouldCompressAWholeBlockAndStartAnew() {
        for (int round = 1; round <= 2; round++) {
            writer.begin(2_000);
            for (int i = 1; i <= 10; i++) {
                writer.add(i, i, 7, 1, new byte[300 * round]);
            }
            ByteBuffer read =
                    ByteBuffer.wrap(finish(1, round, BatchHeader.CODEC_ZSTD, 0)).position(5);
            BatchHeader header = BatchHeader.read(read).orElseThrow();
            assertThat(header.count()).isEqualTo(10);
            var crc = new CRC32C();
            crc.update(read.duplicate());
            assertThat(header.crc32c()).isEqualTo((int) crc.getValue());
            try (var decoder = new BlockDecoder()) {
                var block = new byte[read.remaining()];
                read.get(block);
                var decoded = decoder.decode(header.codec(), ByteBuffer.wrap(block), (int) header.rawLength());
                assertThat(decoded).isInstanceOf(BlockDecoder.Result.Decoded.class);
                var events = new EventCursor(((BlockDecoder.Result.Decoded) decoded).block(), 10);
                while (events.next()) {
                    assertThat(events.payloadLength()).isEqualTo(300 * round);
                }
                assertThat(events.isComplete()).isTrue();
            }
        }
    }
}
