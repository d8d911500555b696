package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdOutputStream;
import io.sallyport.e2e.link.proto.RejectCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Codec 1 of section 4 of the page: one zstd frame, no dictionary, nothing after it, a window of at most 8 MiB. */
class ZstdIT {
    private static final int EVENTS = 40;
    private static final RejectCode CORRUPT = RejectCode.BATCH_CORRUPT;
    private static final RejectCode TOO_LARGE = RejectCode.BATCH_TOO_LARGE;
    private static final byte[] NOTHING = {};
    private static final int ZERO_BYTES = 64 << 20;

    private static final KeptSession KEPT = new KeptSession("zstd");

    @AfterAll
    static void close() {
        KEPT.close();
    }

    static Stream<Arguments> goodFrames() {
        return Stream.of(
                good("level 1", block -> Zstd.compress(block, 1)),
                good("level 19", block -> Zstd.compress(block, 19)),
                good("a negative level", block -> Zstd.compress(block, -5)),
                good("streaming: no content size", ZstdIT::streamed),
                good("a checksum of its own", block -> context(context -> context.setChecksum(true), block)),
                good("no content size", block -> context(context -> context.setContentSize(false), block)),
                good("several blocks", ZstdIT::flushed),
                good(
                        "a window of exactly 8 MiB",
                        block -> ZstdFrame.withWindow(ZstdFrame.WINDOW_8_MIB).holding(block)),
                good(
                        "a large window that a single segment does not need",
                        block -> ZstdFrame.singleSegment(block.length).holding(block)),
                good(
                        "window and content size",
                        block -> ZstdFrame.withWindowAndContentSize(ZstdFrame.WINDOW_8_MIB, block.length)
                                .holding(block)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goodFrames")
    void shouldAppendAsReceived(String what, UnaryOperator<byte[]> codec) {
        Session session = KEPT.take();
        Batch plain = session.batch(session.newEvents(EVENTS));
        byte[] compressed = codec.apply(plain.transmitted());
        assertThat(Zstd.decompress(compressed, plain.transmitted().length)).isEqualTo(plain.transmitted());
        session.append(plain.withCodec(Batch.CODEC_ZSTD).withTransmitted(compressed))
                .expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    static Stream<Arguments> badFrames() {
        return Stream.of(
                bad("an empty block", CORRUPT, block -> NOTHING),
                bad("no zstd at all", CORRUPT, block -> block),
                bad("the magic number alone", CORRUPT, block -> Arrays.copyOf(Zstd.compress(block), 4)),
                bad("one byte short", CORRUPT, block -> cut(Zstd.compress(block), 1)),
                bad("half", CORRUPT, block -> cut(Zstd.compress(block), Zstd.compress(block).length / 2)),
                bad("no last block", CORRUPT, ZstdIT::withoutLastBlock),
                bad("one byte after the frame", CORRUPT, block -> Bytes.join(Zstd.compress(block), new byte[1])),
                bad("a second frame", CORRUPT, block -> Bytes.join(Zstd.compress(block), Zstd.compress(block))),
                bad(
                        "a second frame that is empty",
                        CORRUPT,
                        block -> Bytes.join(Zstd.compress(block), Zstd.compress(NOTHING))),
                bad(
                        "the block in two frames",
                        CORRUPT,
                        block -> Bytes.join(
                                Zstd.compress(Arrays.copyOf(block, 30)),
                                Zstd.compress(Arrays.copyOfRange(block, 30, block.length)))),
                bad(
                        "a skippable frame after it",
                        CORRUPT,
                        block -> Bytes.join(Zstd.compress(block), ZstdFrame.skippable())),
                bad(
                        "a skippable frame before it",
                        CORRUPT,
                        block -> Bytes.join(ZstdFrame.skippable(), Zstd.compress(block))),
                bad("a skippable frame alone", CORRUPT, block -> ZstdFrame.skippable()),
                bad("less output", CORRUPT, block -> Zstd.compress(cut(block, 1))),
                bad("less output, streamed", CORRUPT, block -> streamed(cut(block, 1))),
                bad("no output", CORRUPT, block -> Zstd.compress(NOTHING)),
                bad("no output, streamed", CORRUPT, block -> streamed(NOTHING)),
                bad(
                        "a stated size below what follows",
                        CORRUPT,
                        block -> ZstdFrame.singleSegment(block.length - 1).holding(block)),
                bad(
                        "a wrong checksum of its own",
                        CORRUPT,
                        block -> flipLast(context(context -> context.setChecksum(true), block))),
                bad("a dictionary", CORRUPT, ZstdIT::withDictionary),
                bad(
                        "a dictionary id, though none is needed",
                        CORRUPT,
                        block -> ZstdFrame.withDictionaryId(7).holding(block)),
                bad("one byte more output", TOO_LARGE, block -> Zstd.compress(Bytes.join(block, new byte[1]))),
                bad("one byte more output, streamed", TOO_LARGE, block -> streamed(Bytes.join(block, new byte[1]))),
                bad("64 MiB more output", TOO_LARGE, block -> Zstd.compress(Bytes.join(block, new byte[ZERO_BYTES]))),
                bad(
                        "64 MiB more output, streamed",
                        TOO_LARGE,
                        block -> streamed(Bytes.join(block, new byte[ZERO_BYTES]))),
                bad(
                        "1 GiB in run-length blocks",
                        TOO_LARGE,
                        block -> ZstdFrame.withWindow(ZstdFrame.WINDOW_8_MIB).holdingZeros(1L << 30)),
                bad(
                        "a window of 9 MiB",
                        TOO_LARGE,
                        block -> ZstdFrame.withWindow(ZstdFrame.WINDOW_9_MIB).holding(block)),
                bad(
                        "a window of 128 MiB",
                        TOO_LARGE,
                        block -> ZstdFrame.withWindow(ZstdFrame.WINDOW_128_MIB).holding(block)),
                bad(
                        "the largest window of the format",
                        TOO_LARGE,
                        block -> ZstdFrame.withWindow(0xFF).holding(block)),
                bad(
                        "a single segment of 16 MiB",
                        TOO_LARGE,
                        block -> ZstdFrame.singleSegment(16 << 20).holdingZeros(16 << 20)),
                bad("a long-distance window", TOO_LARGE, ZstdIT::longDistance));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badFrames")
    void shouldRefuseTheBatchAlone(String what, RejectCode code, UnaryOperator<byte[]> codec) {
        Session session = KEPT.take();
        Batch plain = session.batch(Event.range(1_000_001, 1_000_000 + EVENTS));
        Batch bad = plain.withCodec(Batch.CODEC_ZSTD).withTransmitted(codec.apply(plain.transmitted()));
        session.send(Frames.batch(bad)).expectBatchReject(code, bad.batchId());
        assertThat(session.barrier()).as("anything but one REJECT").isEmpty();
        session.append(session.newEvents(1)).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    private static Arguments good(String what, UnaryOperator<byte[]> codec) {
        return arguments(what, codec);
    }

    private static Arguments bad(String what, RejectCode code, UnaryOperator<byte[]> codec) {
        return arguments(what, code, codec);
    }

    /** Without a content size in the header. */
    static byte[] streamed(byte[] block) {
        var out = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(out)) {
            zstd.write(block);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    /** Each quarter of the block in a zstd block of its own. */
    private static byte[] flushed(byte[] block) {
        var out = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(out)) {
            int quarter = block.length / 4;
            for (int i = 0; i < 4; i++) {
                zstd.write(block, i * quarter, i < 3 ? quarter : block.length - 3 * quarter);
                zstd.flush();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    /** A window of 128 MiB, as encoders choose it that look far back and do not know the size. */
    private static byte[] longDistance(byte[] block) {
        var out = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(out)) {
            zstd.setLong(27);
            zstd.write(block);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    /** Magic number, Frame_Header_Descriptor and Window_Descriptor have 6 bytes; the next bit is Last_Block. */
    private static byte[] withoutLastBlock(byte[] block) {
        byte[] frame = ZstdFrame.withWindow(ZstdFrame.WINDOW_8_MIB).holding(block);
        frame[6] ^= 1;
        return frame;
    }

    private static byte[] context(UnaryOperator<ZstdCompressCtx> setting, byte[] block) {
        try (var context = new ZstdCompressCtx()) {
            return setting.apply(context).compress(block);
        }
    }

    private static byte[] withDictionary(byte[] block) {
        var trainer = new ZstdDictTrainer(1 << 20, 4 << 10);
        for (int seq = 1; seq <= 2_000; seq++) {
            trainer.addSample(Event.block(Event.of(seq), Event.of(seq + 1)));
        }
        try (var context = new ZstdCompressCtx()) {
            return context.loadDict(trainer.trainSamples()).compress(block);
        }
    }

    private static byte[] flipLast(byte[] bytes) {
        byte[] flipped = bytes.clone();
        flipped[flipped.length - 1] ^= 1;
        return flipped;
    }

    private static byte[] cut(byte[] whole, int bytes) {
        return Arrays.copyOf(whole, whole.length - bytes);
    }
}
