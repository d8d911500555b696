package io.sallyport.envelope.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import io.sallyport.envelope.link.BlockDecoder.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockDecoderTest {
    private static final int D_MAX = LinkLimits.DEFAULTS.maxBatchBytes();

    private final BlockDecoder decoder = new BlockDecoder();

    @AfterEach
    void close() {
        decoder.close();
    }

    @Test
    void shouldGiveAnUncompressedBlockBackAsItIs() {
        var block = ByteBuffer.wrap(new byte[] {1, 2, 3});
        assertThat(decoder.decode(BatchHeader.CODEC_NONE, block, 3)).isEqualTo(new Result.Decoded(block));
        assertThat(decoder.decode(BatchHeader.CODEC_NONE, block, 4)).isInstanceOf(Result.Corrupt.class);
    }

    @Test
    void shouldDecodeExactlyRawLengthBytesFromAnyOffset() throws IOException {
        byte[] content = bytes(100_000);
        for (byte[] compressed : new byte[][] {Zstd.compress(content), streamed(content, 3, 0)}) {
            var shifted = ByteBuffer.allocate(compressed.length + 20)
                    .position(20)
                    .put(compressed)
                    .position(20);
            assertDecoded(decoder.decode(BatchHeader.CODEC_ZSTD, shifted, content.length), content);
        }
    }

    @Test
    void shouldTakeTheLargestBlockAndRefuseOneByteMore() throws IOException {
        byte[] largest = new byte[D_MAX];
        byte[] larger = new byte[D_MAX + 1];
        assertDecoded(decode(Zstd.compress(largest), D_MAX), largest);
        assertThat(decode(Zstd.compress(larger), D_MAX)).isInstanceOf(Result.TooLarge.class);
        assertThat(decode(streamed(larger, 3, 0), D_MAX)).isInstanceOf(Result.TooLarge.class);
    }

    @Test
    void shouldRefuseABombFromItsHeaderOrAtTheLimit() throws IOException {
        byte[] bomb = new byte[64 << 20];
        assertThat(decode(Zstd.compress(bomb, 19), D_MAX)).isInstanceOf(Result.TooLarge.class);
        assertThat(decode(streamed(bomb, 19, 0), D_MAX)).isInstanceOf(Result.TooLarge.class);
        assertThat(decode(streamed(bomb, 3, 22), D_MAX)).isInstanceOf(Result.TooLarge.class);
    }

    @Test
    void shouldRefuseAWindowAboveEightMebibytes() throws IOException {
        byte[] content = bytes(1_000);
        assertThat(decode(streamed(content, 3, 24), 1_000)).isEqualTo(new Result.TooLarge("zstd window above 8 MiB"));
        assertDecoded(decode(streamed(content, 3, 23), 1_000), content);
    }

    @Test
    void shouldCallTruncatedTrailingShortAndForeignBytesCorrupt() {
        byte[] content = bytes(10_000);
        byte[] frame = Zstd.compress(content);
        byte[] trailing = Arrays.copyOf(frame, frame.length + 1);
        byte[] twoFrames = Arrays.copyOf(frame, frame.length * 2);
        System.arraycopy(frame, 0, twoFrames, frame.length, frame.length);
        byte[] skippableFirst = ByteBuffer.allocate(8 + frame.length)
                .putInt(Integer.reverseBytes(0x184D2A50))
                .putInt(0)
                .put(frame)
                .array();

        assertThat(decode(Arrays.copyOf(frame, frame.length - 5), 10_000)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(trailing, 10_000)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(twoFrames, 10_000)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(twoFrames, 20_000)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(skippableFirst, 10_000)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(frame, 10_001)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(new byte[0], 10)).isInstanceOf(Result.Corrupt.class);
        assertThat(decode(new byte[20], 10)).isInstanceOf(Result.Corrupt.class);
    }

    @Test
    void shouldNeverFailOtherwiseOnRandomAndMutatedFrames() throws IOException {
        long seed = 77;
        var random = new Random(seed);
        byte[] content = bytes(5_000);
        for (int i = 0; i < 20_000; i++) {
            byte[] input = i % 2 == 0 ? Zstd.compress(content) : streamed(content, 1, 0);
            int flips = 1 + random.nextInt(4);
            for (int f = 0; f < flips; f++) {
                input[random.nextInt(Math.min(input.length, i % 3 == 0 ? 16 : input.length))] ^=
                        (byte) (1 << random.nextInt(8));
            }
            if (random.nextInt(4) == 0) {
                input = Arrays.copyOf(input, random.nextInt(input.length + 1));
            }
            assertThat(decode(input, 5_000)).as("seed %d round %d", seed, i).isNotNull();
        }
        assertDecoded(decode(Zstd.compress(content), 5_000), content);
    }

    private Result decode(byte[] transmitted, int rawLength) {
        return decoder.decode(BatchHeader.CODEC_ZSTD, ByteBuffer.wrap(transmitted), rawLength);
    }

    private static void assertDecoded(Result result, byte[] content) {
        assertThat(result).isInstanceOf(Result.Decoded.class);
        ByteBuffer block = ((Result.Decoded) result).block();
        assertThat(block).isEqualTo(ByteBuffer.wrap(content));
    }

    /** A frame without a stated content size. */
    private static byte[] streamed(byte[] content, int level, int windowLog) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(out, level)) {
            if (windowLog > 0) {
                zstd.setLong(windowLog);
            }
            zstd.write(content);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        Arrays.fill(bytes, 0, length / 2, (byte) 'x');
        return bytes;
    }
}
