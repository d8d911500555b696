package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.RejectCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of section 4 of the sensor link, row by row, and which row wins where several apply. */
class BatchAdmissionTest {
    private static final long EPOCH = 5;
    private static final int BATCH_ID = 0xCAFE;

    private final BatchAdmission admission = new BatchAdmission(LinkLimits.DEFAULTS);
    private final AckWindow window = new AckWindow(0, LinkLimits.DEFAULTS.maxAckRanges());

    @AfterEach
    void close() {
        admission.close();
    }

    /** One event of a block, field by field. */
    private static byte[] event(long seq, int type, byte[] payload, int statedLength) {
        return ByteBuffer.allocate(24 + payload.length)
                .putLong(seq)
                .putLong(1_700_000_000_000_000L)
                .putShort((short) type)
                .putShort((short) 1)
                .putInt(statedLength)
                .put(payload)
                .array();
    }

    private static byte[] event(long seq, int payloadBytes) {
        return event(seq, 4, new byte[payloadBytes], payloadBytes);
    }

    private static byte[] join(byte[]... parts) {
        var joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    private static byte[] body(long epoch, int codec, int flags, int count, long rawLength, byte[] block) {
        return body(epoch, codec, flags, count, rawLength, block, crc(block));
    }

    private static byte[] body(long epoch, int codec, int flags, int count, long rawLength, byte[] block, int crc) {
        return ByteBuffer.allocate(20 + block.length)
                .putInt((int) epoch)
                .putInt(BATCH_ID)
                .put((byte) codec)
                .put((byte) flags)
                .putShort((short) count)
                .putInt((int) rawLength)
                .putInt(crc)
                .put(block)
                .array();
    }

    private static byte[] plain(int count, byte[] block) {
        return body(EPOCH, 0, 0, count, block.length, block);
    }

    private static int crc(byte[] block) {
        var crc = new CRC32C();
        crc.update(block);
        return (int) crc.getValue();
    }

    private void assertRefused(byte[] body, RejectCode code) {
        var outcome = admission.check(body, EPOCH, window);
        assertThat(outcome).isInstanceOf(BatchAdmission.Outcome.Refused.class);
        Refusal refusal = ((BatchAdmission.Outcome.Refused) outcome).refusal();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.batchId()).isEqualTo(BATCH_ID);
        assertThat(refusal.detail()).isNotEmpty().doesNotContain("-1");
        assertThat(window.watermark()).isZero();
        assertThat(window.isSettled()).isTrue();
    }

    private BatchAdmission.Outcome.Admitted assertAdmitted(byte[] body) {
        var outcome = admission.check(body, EPOCH, window);
        assertThat(outcome).isInstanceOf(BatchAdmission.Outcome.Admitted.class);
        return (BatchAdmission.Outcome.Admitted) outcome;
    }

    @Test
    void shouldTellATornHeader() {
        assertThat(admission.check(new byte[19], EPOCH, window)).isInstanceOf(BatchAdmission.Outcome.Torn.class);
    }

    @Test
    void shouldCheckTheEpochBeforeAnythingElse() {
        assertRefused(body(EPOCH + 1, 9, 0xFF, 0, 1L << 31, new byte[3], 1), RejectCode.STALE_EPOCH);
        // Both ends of u32.
        assertRefused(body(0, 0, 0, 1, 25, event(1, 1)), RejectCode.STALE_EPOCH);
        assertRefused(body(0xFFFF_FFFFL, 0, 0, 1, 25, event(1, 1)), RejectCode.STALE_EPOCH);
    }

    @Test
    void shouldCheckTheCodecBeforeTheFlags() {
        assertRefused(body(EPOCH, 2, 0xFF, 0, 1L << 31, new byte[3], 1), RejectCode.UNSUPPORTED_CODEC);
        assertRefused(body(EPOCH, 255, 0, 1, 25, event(1, 1)), RejectCode.UNSUPPORTED_CODEC);
    }

    @Test
    void shouldCheckFlagsAndCountBeforeTheSizes() {
        assertRefused(body(EPOCH, 0, 4, 513, 1L << 31, new byte[3], 1), RejectCode.BATCH_MALFORMED);
        assertRefused(body(EPOCH, 0, 0, 0, 1L << 31, new byte[3], 1), RejectCode.BATCH_MALFORMED);
        assertRefused(body(EPOCH, 0, 0x80, 1, 25, event(1, 1)), RejectCode.BATCH_MALFORMED);
    }

    @Test
    void shouldCheckTheSizesBeforeTheLengths() {
        assertRefused(body(EPOCH, 0, 0, 513, 3, new byte[4], 1), RejectCode.BATCH_TOO_LARGE);
        assertRefused(body(EPOCH, 0, 0, 1, 4_194_305, new byte[4], 1), RejectCode.BATCH_TOO_LARGE);
        assertRefused(body(EPOCH, 0, 0, 1, 0xFFFF_FFFFL, new byte[4], 1), RejectCode.BATCH_TOO_LARGE);
    }

    @Test
    void shouldCheckTheLengthBeforeTheChecksum() {
        assertRefused(body(EPOCH, 0, 0, 1, 24, event(1, 1), 1), RejectCode.BATCH_MALFORMED);
        assertRefused(body(EPOCH, 0, 0, 1, 26, event(1, 1), 1), RejectCode.BATCH_MALFORMED);
    }

    @Test
    void shouldCheckTheChecksumBeforeTheContent() {
        byte[] block = event(0, 1);
        assertRefused(body(EPOCH, 0, 0, 1, block.length, block, crc(block) + 1), RejectCode.BATCH_CORRUPT);
        assertRefused(body(EPOCH, 1, 0, 1, 25, new byte[] {1, 2, 3}, 0), RejectCode.BATCH_CORRUPT);
    }

    @Test
    void shouldBoundDecompression() throws IOException {
        byte[] zeros = new byte[64 << 20];
        assertRefused(body(EPOCH, 1, 0, 1, 25, Zstd.compress(zeros, 19)), RejectCode.BATCH_TOO_LARGE);
        var streamed = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(streamed, 3)) {
            zstd.write(zeros);
        }
        assertRefused(body(EPOCH, 1, 0, 1, 4_194_304, streamed.toByteArray()), RejectCode.BATCH_TOO_LARGE);
    }

    @Test
    void shouldRefuseWhatIsNotExactlyOneZstdFrame() {
        byte[] block = event(1, 100);
        byte[] frame = Zstd.compress(block);
        assertRefused(body(EPOCH, 1, 0, 1, block.length, new byte[40]), RejectCode.BATCH_CORRUPT);
        assertRefused(body(EPOCH, 1, 0, 1, block.length, join(frame, frame)), RejectCode.BATCH_CORRUPT);
        assertRefused(body(EPOCH, 1, 0, 1, block.length, join(frame, new byte[1])), RejectCode.BATCH_CORRUPT);
        assertRefused(
                body(EPOCH, 1, 0, 1, block.length, Arrays.copyOf(frame, frame.length - 1)), RejectCode.BATCH_CORRUPT);
        assertRefused(body(EPOCH, 1, 0, 1, block.length + 1, frame), RejectCode.BATCH_CORRUPT);
        assertRefused(body(EPOCH, 1, 0, 1, block.length - 1, frame), RejectCode.BATCH_TOO_LARGE);
        assertThat(assertAdmitted(body(EPOCH, 1, 0, 1, block.length, frame)).decodedBytes())
                .isEqualTo(block.length);
    }

    @Test
    void shouldRefuseAWalkThatDoesNotEndExactly() {
        byte[] two = join(event(1, 3), event(2, 3));
        assertRefused(plain(1, two), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(3, two), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(2, join(two, new byte[1])), RejectCode.BATCH_MALFORMED);
        // A payload that is said to reach beyond the block, by one and by all that u32 holds.
        assertRefused(plain(1, event(1, 4, new byte[3], 4)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(1, 4, new byte[3], -1)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(1, 4, new byte[3], Integer.MIN_VALUE)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, new byte[0]), RejectCode.BATCH_MALFORMED);
    }

    @Test
    void shouldRefuseSeqsAndTypesThatCannotBe() {
        assertRefused(plain(1, event(0, 1)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(Long.MIN_VALUE, 1)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(-1, 1)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(2, join(event(1, 1), event(0, 1))), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(1, 0, new byte[1], 1)), RejectCode.BATCH_MALFORMED);
        assertRefused(plain(1, event(1, 1, new byte[1], 1)), RejectCode.BATCH_MALFORMED);
        // What is not registered is the normalizer's business.
        assertAdmitted(plain(1, event(1, 0xFFFF, new byte[1], 1)));
    }

    @Test
    void shouldNameTheSeqWithoutASign() {
        var outcome = (BatchAdmission.Outcome.Refused) admission.check(plain(1, event(-1, 1)), EPOCH, window);
        assertThat(outcome.refusal().detail()).contains("18446744073709551615");
    }

    @Test
    void shouldDropSingleEventsOfTheWrongSize() {
        var admitted = assertAdmitted(plain(4, join(event(1, 65_536), event(2, 65_537), event(3, 0), event(4, 1))));
        assertThat(admitted.droppedIndexes()).containsExactly(1, 2);
        window.confirm(admitted.entry());
        assertThat(window.watermark()).isEqualTo(4);
    }

    @Test
    void shouldAdmitARepeatedSeqAndAnyOrder() {
        var admitted = assertAdmitted(plain(4, join(event(3, 1), event(1, 1), event(3, 1), event(2, 1))));
        window.confirm(admitted.entry());
        assertThat(window.watermark()).isEqualTo(3);
    }

    @Test
    void shouldRefuseOneRangeTooMany() {
        for (long seq = 3; seq < 3 + 2 * 1_024; seq += 2) {
            window.confirm(assertAdmitted(plain(1, event(seq, 1))).entry());
        }
        assertRefused(plain(1, event(10_000, 1)), RejectCode.ACK_WINDOW_EXCEEDED);
        assertAdmitted(plain(1, event(1, 1)));
    }

    @Test
    void shouldAdmitTheLargestCountAndBlock() {
        byte[][] events = new byte[512][];
        for (int i = 0; i < events.length; i++) {
            events[i] = event(i + 1, 8_168);
        }
        byte[] block = join(events);
        assertThat(block).hasSize(4_194_304);
        assertAdmitted(body(
                EPOCH,
                1,
                BatchHeader.FLAG_REPLAY | BatchHeader.FLAG_RENUMBERED,
                512,
                block.length,
                Zstd.compress(block)));
    }

    /** Flipped, cut and random bytes: always a decision, never an exception, and never an admission by accident. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldDecideOnAnyBytes(long seed) {
        var random = new Random(seed);
        byte[] block = join(event(1, 50), event(2, 200), event(3, 1));
        byte[][] good = {plain(3, block), body(EPOCH, 1, 0, 3, block.length, Zstd.compress(block))};
        for (int i = 0; i < 20_000; i++) {
            byte[] body = good[random.nextInt(2)].clone();
            int kind = random.nextInt(3);
            if (kind == 0) {
                body = Arrays.copyOf(body, random.nextInt(body.length));
            } else {
                int flips = 1 + random.nextInt(3);
                for (int j = 0; j < flips; j++) {
                    body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
                }
                if (kind == 2 && body.length > 20) {
                    // The checksum of an attacker is right.
                    ByteBuffer.wrap(body).putInt(16, crc(Arrays.copyOfRange(body, 20, body.length)));
                }
            }
            var outcome = admission.check(body, EPOCH, window);
            if (outcome instanceof BatchAdmission.Outcome.Admitted admitted) {
                assertThat(kind).as("seed %d round %d", seed, i).isNotZero();
                window.fail(admitted.entry());
            } else if (outcome instanceof BatchAdmission.Outcome.Torn) {
                assertThat(body.length).as("seed %d round %d", seed, i).isLessThan(20);
            }
            assertThat(window.watermark()).isZero();
        }
    }
}
