package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.github.luben.zstd.Zstd;
import io.sallyport.e2e.link.proto.RejectCode;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of section 4 of the page, row by row. All refused batches go over one session, each followed by a valid one:
 * the session stays open, nothing is appended, and no watermark moves.
 */
class BatchTableIT {
    private static final RejectCode STALE = RejectCode.STALE_EPOCH;
    private static final RejectCode CODEC = RejectCode.UNSUPPORTED_CODEC;
    private static final RejectCode MALFORMED = RejectCode.BATCH_MALFORMED;
    private static final RejectCode TOO_LARGE = RejectCode.BATCH_TOO_LARGE;
    private static final RejectCode CORRUPT = RejectCode.BATCH_CORRUPT;
    private static final byte[] NOTHING = {};

    private static final KeptSession KEPT = new KeptSession("batch-table");
    /** Of a batch that is refused: nobody sends it. */
    private static final long SOME_SEQ = 1_000_000;

    @AfterAll
    static void close() {
        KEPT.close();
    }

    static Stream<Arguments> rows() {
        return Stream.of(
                row("epoch of the past", STALE, b -> b.withEpoch(b.epoch() - 1)),
                row("epoch of the future", STALE, b -> b.withEpoch(b.epoch() + 1)),
                row("epoch of all ones", STALE, b -> b.withEpoch(0xFFFF_FFFFL)),
                row("codec 2", CODEC, b -> b.withCodec(2)),
                row("codec 255", CODEC, b -> b.withCodec(0xFF)),
                row("flag bit 2", MALFORMED, b -> b.withFlags(0x04)),
                row("flag bit 7", MALFORMED, b -> b.withFlags(0x81)),
                row("count 0", MALFORMED, b -> b.withCount(0)),
                row(
                        "count 0, empty block",
                        MALFORMED,
                        b -> b.withCount(0).withRawLength(0).withTransmitted(NOTHING)),
                row("count 513", TOO_LARGE, b -> b.withCount(513)),
                row("count 65535", TOO_LARGE, b -> b.withCount(0xFFFF)),
                row("raw_length above the limit", TOO_LARGE, b -> b.withRawLength(Frames.MAX_BATCH_BYTES + 1L)),
                row("raw_length with the sign bit", TOO_LARGE, b -> b.withRawLength(0x8000_0000L)),
                row("raw_length of all ones", TOO_LARGE, b -> b.withRawLength(0xFFFF_FFFFL)),
                row("raw_length one too small", MALFORMED, b -> b.withRawLength(b.rawLength() - 1)),
                row("raw_length one too large", MALFORMED, b -> b.withRawLength(b.rawLength() + 1)),
                row("raw_length 0", MALFORMED, b -> b.withRawLength(0)),
                row("empty block", MALFORMED, b -> b.withTransmitted(NOTHING)),
                row("crc of one bit less", CORRUPT, Batch::withWrongCrc),
                row("crc of the compressed block", CORRUPT, b -> b.compressed().withWrongCrc()),
                row("count one too small", MALFORMED, b -> b.withCount(b.count() - 1)),
                row("count one too large", MALFORMED, b -> b.withCount(b.count() + 1)),
                row(
                        "count one too small, compressed",
                        MALFORMED,
                        b -> b.compressed().withCount(b.count() - 1)),
                row("empty block whose raw_length agrees", MALFORMED, b -> block(b, NOTHING)),
                row("an entry cut in its head", MALFORMED, b -> block(b, cut(b, 9 + Event.HEAD_BYTES))),
                row("an entry cut in its payload", MALFORMED, b -> block(b, cut(b, 1))),
                row(
                        "one byte more",
                        MALFORMED,
                        b -> block(b, Arrays.copyOf(b.transmitted(), b.transmitted().length + 1))),
                row(
                        "payload_length beyond the block",
                        MALFORMED,
                        b -> events(b, Event.of(1).withPayloadLength(70_000))),
                row(
                        "payload_length with the sign bit",
                        MALFORMED,
                        b -> events(b, Event.of(1).withPayloadLength(0x8000_0000L))),
                row(
                        "payload_length of all ones",
                        MALFORMED,
                        b -> events(b, Event.of(1).withPayloadLength(0xFFFF_FFFFL))),
                row("seq 0", MALFORMED, b -> events(b, Event.of(0))),
                row("seq 0 behind a valid one", MALFORMED, b -> events(b, Event.of(SOME_SEQ), Event.of(0))),
                row("seq 2^63", MALFORMED, b -> events(b, Event.of(Long.MIN_VALUE))),
                row("seq 2^64 - 1", MALFORMED, b -> events(b, Event.of(-1))),
                row("event_type 0", MALFORMED, b -> events(b, Event.of(SOME_SEQ).withType(0))),
                row("event_type 1", MALFORMED, b -> events(b, Event.of(SOME_SEQ).withType(1))),
                row(
                        "event_type 1 without a payload",
                        MALFORMED,
                        b -> events(b, Event.of(SOME_SEQ, NOTHING).withType(1))),
                row("seq 0, compressed", MALFORMED, b -> events(b, Event.of(0)).compressed()));
    }

    /** Two things are wrong: the upper row decides. */
    static Stream<Arguments> pairs() {
        return Stream.of(
                row("epoch before codec", STALE, b -> b.withEpoch(9).withCodec(7)),
                row("epoch before everything", STALE, b -> worst(b).withEpoch(9)),
                row("codec before flags", CODEC, b -> b.withCodec(2).withFlags(0x80)),
                row("codec before count 0", CODEC, b -> b.withCodec(2).withCount(0)),
                row("codec before everything", CODEC, b -> worst(b)),
                row("flags before count", MALFORMED, b -> b.withFlags(0x10).withCount(513)),
                row("count 0 before raw_length", MALFORMED, b -> b.withCount(0).withRawLength(0xFFFF_FFFFL)),
                row("flags before crc", MALFORMED, b -> b.withFlags(0x10).withWrongCrc()),
                row("count before raw_length", TOO_LARGE, b -> b.withCount(513).withRawLength(b.rawLength() + 1)),
                row("count before crc", TOO_LARGE, b -> b.withCount(513).withWrongCrc()),
                row(
                        "raw_length before crc",
                        TOO_LARGE,
                        b -> b.withRawLength(1L << 31).withWrongCrc()),
                row(
                        "length before crc",
                        MALFORMED,
                        b -> b.withRawLength(b.rawLength() + 1).withWrongCrc()),
                row(
                        "crc before the window",
                        CORRUPT,
                        b -> zstd(
                                        b,
                                        ZstdFrame.withWindow(ZstdFrame.WINDOW_9_MIB)
                                                .holding(b.transmitted()))
                                .withWrongCrc()),
                row(
                        "crc before too much output",
                        CORRUPT,
                        b -> zstd(b, Zstd.compress(new byte[70_000])).withWrongCrc()),
                row(
                        "crc before decompression",
                        CORRUPT,
                        b -> zstd(b, new byte[10]).withWrongCrc()),
                row(
                        "crc before the walk",
                        CORRUPT,
                        b -> b.withCount(b.count() + 1).withWrongCrc()),
                row("crc before seq 0", CORRUPT, b -> events(b, Event.of(0)).withWrongCrc()),
                row(
                        "window before a broken block",
                        TOO_LARGE,
                        b -> zstd(
                                b,
                                cutBytes(
                                        ZstdFrame.withWindow(ZstdFrame.WINDOW_9_MIB)
                                                .holding(b.transmitted()),
                                        3))),
                row(
                        "output before trailing bytes",
                        TOO_LARGE,
                        b -> zstd(b, Bytes.join(Zstd.compress(new byte[70_000]), new byte[3]))),
                row("output before the walk", TOO_LARGE, b -> zstd(b.withCount(9), Zstd.compress(new byte[70_000]))),
                row(
                        "decompression before the walk",
                        CORRUPT,
                        b -> zstd(b.withCount(9), Bytes.join(Zstd.compress(b.transmitted()), new byte[1]))),
                row("decompression before seq 0", CORRUPT, b -> {
                    Batch zero = events(b, Event.of(0));
                    return zstd(zero, cutBytes(Zstd.compress(zero.transmitted()), 1));
                }),
                row("walk before seq 0", MALFORMED, b -> events(b, Event.of(0)).withCount(2)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"rows", "pairs"})
    void shouldRefuseTheBatchAlone(String what, RejectCode code, UnaryOperator<Batch> fault) {
        Session session = KEPT.take();
        Batch bad = fault.apply(session.batch(Event.of(SOME_SEQ), Event.of(SOME_SEQ + 1)));
        session.send(Frames.batch(bad)).expectBatchReject(code, bad.batchId());
        assertThat(session.barrier()).as("anything but one REJECT").isEmpty();
        session.append(session.newEvents(1)).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    @Test
    void shouldEchoEveryBatchId() {
        Session session = KEPT.take();
        for (long id : new long[] {0, 1, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL}) {
            Batch bad = session.batch(Event.of(SOME_SEQ)).withBatchId(id).withCodec(9);
            session.send(Frames.batch(bad)).expectBatchReject(CODEC, id);
        }
        // The same batch_id again is the sensor's business.
        session.append(session.batch(session.newEvents(1)).withBatchId(0));
        session.append(session.batch(session.newEvents(1)).withBatchId(0)).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    @Test
    void shouldRefuseTheSameBatchTheSameWayEachTime() {
        Session session = KEPT.take();
        Batch bad = session.batch(Event.of(SOME_SEQ)).withWrongCrc();
        for (int i = 0; i < 3; i++) {
            session.send(Frames.batch(bad)).expectBatchReject(CORRUPT, bad.batchId());
        }
        KEPT.giveBack(session);
    }

    @Test
    void shouldTakeTheGoodOnesBetweenBadOnesOfOneSegment() {
        Session session = KEPT.take();
        Batch bad = session.batch(Event.of(SOME_SEQ)).withWrongCrc();
        Batch first = session.batch(session.newEvents(1));
        Batch second = session.batch(session.newEvents(1));
        session.appended().add(first.body());
        session.appended().add(second.body());
        session.send(Frames.batch(first), Frames.batch(bad), Frames.batch(second));
        session.expectBatchReject(CORRUPT, bad.batchId());
        // Refusals do not wait for the log: the ACK of the second may have been passed over on the way.
        session.append(session.newEvents(1)).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    @Test
    void shouldCloseOnABodyShorterThanItsHeader() {
        for (int bytes = 0; bytes < Batch.HEADER_BYTES; bytes++) {
            try (Session short0 = Link.open(Sensor.fresh("batch-short"))) {
                byte[] body = Arrays.copyOf(short0.batch(Event.of(1)).body(), bytes);
                short0.send(Frames.frame(Frames.BATCH, body)).expectFinalReject(RejectCode.FRAME_MALFORMED);
            }
        }
    }

    private static Arguments row(String what, RejectCode code, UnaryOperator<Batch> fault) {
        return arguments(what, code, fault);
    }

    /** Wrong in every row from the codec down. */
    private static Batch worst(Batch batch) {
        return batch.withCodec(3)
                .withFlags(0xFF)
                .withCount(0xFFFF)
                .withRawLength(0xFFFF_FFFFL)
                .withWrongCrc();
    }

    private static Batch block(Batch batch, byte[] block) {
        return batch.withRawLength(block.length).withTransmitted(block);
    }

    private static Batch events(Batch batch, Event... events) {
        return block(batch.withCount(events.length), Event.block(events));
    }

    private static Batch zstd(Batch batch, byte[] compressed) {
        return batch.withCodec(Batch.CODEC_ZSTD).withTransmitted(compressed);
    }

    private static byte[] cut(Batch batch, int bytes) {
        return cutBytes(batch.transmitted(), bytes);
    }

    private static byte[] cutBytes(byte[] whole, int bytes) {
        return Arrays.copyOf(whole, whole.length - bytes);
    }
}
