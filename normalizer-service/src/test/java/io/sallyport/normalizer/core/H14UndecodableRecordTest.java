package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class H14UndecodableRecordTest {
    private final Scenario scenario = new Scenario();

    private static byte[] random(int bytes) {
        var value = new byte[bytes];
        new Random(14).nextBytes(value);
        return value;
    }

    private byte[] zstdBodyWithoutItsEnd(boolean rightCrc) {
        scenario.raw.codec(BatchHeader.CODEC_ZSTD);
        byte[] body = scenario.raw.body(3, Event.of(21), Event.of(22));
        scenario.raw.codec(BatchHeader.CODEC_NONE);
        byte[] cut = Arrays.copyOf(body, body.length - 5);
        if (rightCrc) {
            var crc = new CRC32C();
            crc.update(cut, BatchHeader.BYTES, cut.length - BatchHeader.BYTES);
            ByteBuffer.wrap(cut).putInt(16, (int) crc.getValue());
        }
        return cut;
    }

    @Test
    void shouldQuarantineThreeBadRecordsAndGoOn() {
        byte[] garbage = random(20);
        byte[] cut = zstdBodyWithoutItsEnd(true);
        scenario.feed(scenario.raw.range(T0, 3, 1, 10));
        scenario.feed(new RawRecord(T0, scenario.sensor.topicKeyBytes(), null, null, garbage));
        scenario.feed(scenario.raw.raw(T0, RawKind.BATCH, null));
        scenario.feed(scenario.raw.raw(T0, RawKind.BATCH, cut));
        scenario.feed(scenario.raw.range(T0, 3, 11, 20));

        assertThat(scenario.committed(3))
                .isEqualTo(LongStream.rangeClosed(1, 20).boxed().toList());
        assertThat(scenario.quarantined()).hasSize(3).allSatisfy(refused -> {
            assertThat(refused.reason()).isEqualTo(Reason.UNDECODABLE);
            assertThat(refused.sensor()).contains(scenario.sensor);
        });
        assertThat(scenario.quarantined().get(0).original().bytes()).isEqualTo(garbage);
        assertThat(scenario.quarantined().get(1).original().bytes()).isEmpty();
        assertThat(scenario.quarantined().get(1).detail()).isEqualTo("null value");
        assertThat(scenario.quarantined().get(2).original().bytes()).isEqualTo(cut);
        assertThat(scenario.quarantined().get(2).epoch()).isEqualTo(3);
        assertThat(scenario.marks(Reason.UNDECODABLE)).hasSize(3);
    }

    @Test
    void shouldQuarantineABlockWhoseChecksumDiffers() {
        scenario.feed(scenario.raw.raw(T0, RawKind.BATCH, zstdBodyWithoutItsEnd(false)));
        assertThat(scenario.quarantined())
                .singleElement()
                .satisfies(refused -> assertThat(refused.detail()).isEqualTo("crc32c differs"));
    }

    @Test
    void shouldAttributeARecordWithoutStampToTheSensorOfItsKeyAndWithoutBothToNobody() {
        byte[] kind = "BATCH".getBytes(StandardCharsets.US_ASCII);
        scenario.feed(new RawRecord(T0, scenario.sensor.topicKeyBytes(), kind, random(9), random(40)));
        scenario.feed(new RawRecord(T0, random(9), kind, null, random(40)));
        scenario.feed(new RawRecord(T0, null, null, null, null));
        assertThat(scenario.quarantined())
                .extracting(Effect.Quarantine::sensor)
                .containsExactly(Optional.of(scenario.sensor), Optional.empty(), Optional.empty());
    }

    @Test
    void shouldRefuseAnUnknownKindAndWhatContradictsItself() {
        byte[] stamp = scenario.raw.stamp().toByteArray();
        byte[] key = scenario.sensor.topicKeyBytes();
        byte[] batch = "BATCH".getBytes(StandardCharsets.US_ASCII);
        byte[] body = scenario.raw.body(1, Event.of(1));
        byte[] badBase = Stamp.newBuilder(scenario.raw.stamp())
                .setBaseWatermark(-1)
                .build()
                .toByteArray();
        byte[] badIndex = Stamp.newBuilder(scenario.raw.stamp())
                .addDroppedIndexes(1)
                .build()
                .toByteArray();
        scenario.feed(new RawRecord(T0, key, "OTHER".getBytes(StandardCharsets.US_ASCII), stamp, body));
        scenario.feed(scenario.raw.raw(T0, RawKind.FENCE, body));
        scenario.feed(new RawRecord(T0, "acme/s-2".getBytes(StandardCharsets.US_ASCII), batch, stamp, body));
        scenario.feed(new RawRecord(T0, key, batch, badBase, body));
        scenario.feed(new RawRecord(T0, key, batch, badIndex, body));
        scenario.feed(scenario.raw.raw(T0, RawKind.SKIP, random(21)));
        scenario.feed(scenario.raw.skip(T0, 1, 5, 4, 1));
        scenario.feed(scenario.raw.raw(
                T0, RawKind.EPOCH_OPEN, EpochOpen.getDefaultInstance().toByteArray()));
        for (int at : new int[] {0, 8, 9}) {
            byte[] broken = body.clone();
            broken[at] = (byte) 0x80;
            if (at == 0) {
                Arrays.fill(broken, 0, 4, (byte) 0);
            }
            scenario.feed(scenario.raw.raw(T0, RawKind.BATCH, broken));
        }

        assertThat(scenario.quarantined())
                .extracting(Effect.Quarantine::detail)
                .containsExactly(
                        "unknown kind",
                        "not a fence",
                        "the key is not the stamp's sensor",
                        "the stamp is out of range",
                        "the stamp names an event that is not there",
                        "not a SKIP body",
                        "not a SKIP body",
                        "not an epoch opening",
                        "epoch 0",
                        "unknown codec 128",
                        "unknown flags 128");
        assertThat(scenario.commits()).isEmpty();
    }

    @Test
    void shouldDeclareTheSeqsThatATornBlockStillNamesAndCommitThemLater() {
        scenario.feed(scenario.raw.range(T0, 1, 1, 2));
        byte[] good = scenario.raw.body(1, Event.of(3), Event.of(4), Event.of(5));
        byte[] torn = good.clone();
        ByteBuffer.wrap(torn).putShort(10, (short) 4);
        scenario.feed(scenario.raw.raw(T0, RawKind.BATCH, torn));
        assertThat(scenario.markers()).containsExactly("UNDECODABLE 1: 3-5");
        assertThat(scenario.quarantined().get(0).ranges()).containsExactly(new SeqRange(3, 5));

        scenario.feed(scenario.raw.raw(T0 + 1, RawKind.BATCH, good));
        assertThat(scenario.committed()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(scenario.markers()).endsWith("GAP_CLOSED 1: 3-5");
    }

    @Test
    void shouldNeverThrowWhateverTheBytesAre() {
        long seed = 20_141_4L;
        var random = new Random(seed);
        byte[] good = scenario.raw.body(1, Event.of(1), Event.of(2));
        for (int i = 0; i < 20_000; i++) {
            byte[] value = good.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(8));
            }
            byte[] cut = random.nextInt(3) == 0 ? Arrays.copyOf(value, random.nextInt(value.length)) : value;
            if (cut.length >= BatchHeader.BYTES && random.nextBoolean()) {
                var crc = new CRC32C();
                crc.update(cut, BatchHeader.BYTES, cut.length - BatchHeader.BYTES);
                ByteBuffer.wrap(cut).putInt(16, (int) crc.getValue());
            }
            var fresh = new MemoryStore();
            try (var dedupe = new Dedupe(Scenario.LIMITS, type -> type == 4)) {
                dedupe.decide(scenario.raw.raw(T0, RawKind.values()[random.nextInt(3)], cut), key -> fresh);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + i, e);
            }
        }
    }
}
