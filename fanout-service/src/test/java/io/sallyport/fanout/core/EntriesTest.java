package io.sallyport.fanout.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.QueueEntry;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EntriesTest {
    private static final long ACCEPTED_US = 1_790_000_000_000_000L;

    @Test
    void shouldGiveEachSensorOneEntryInsideTheWindowAndBeforeTheExpiry() {
        var random = new Random(3);
        for (int round = 0; round < 500; round++) {
            long ttlMs = 1 + random.nextInt(round % 2 == 0 ? 100 : 1_000_000);
            int sensors = 1 + random.nextInt(50);
            long windowMs = round % 3 == 0
                    ? Jitter.bounded(random.nextInt(60_001), ttlMs)
                    : Jitter.windowMs(FanoutLimits.DEFAULTS, sensors, ttlMs);
            PlanChunk chunk = chunk("m-" + round, sensors, windowMs, ttlMs);
            List<QueueEntry> entries = Entries.of(chunk);
            assertThat(entries.stream().map(QueueEntry::getSensorId)).isEqualTo(chunk.getSensorIdsList());
            for (QueueEntry entry : entries) {
                assertThat(entry.getDeliverAtUs())
                        .as("round %d", round)
                        .isBetween(ACCEPTED_US, ACCEPTED_US + windowMs * 1_000)
                        .isLessThan(entry.getExpiresAtUs());
            }
            assertThat(Entries.of(chunk)).isEqualTo(entries);
        }
    }

    @Test
    void shouldSpreadDeliveriesEvenly() {
        var tenths = new int[10];
        List<QueueEntry> entries = Entries.of(chunk("even", 1_000, 1_000, 10_000_000));
        for (QueueEntry entry : entries) {
            tenths[(int) ((entry.getDeliverAtUs() - ACCEPTED_US) / 100_000)]++;
        }
        assertThat(Arrays.stream(tenths).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(60, 140));
    }

    @Test
    void shouldTraceTheFirstTargetsOfATracedMessageOnly() {
        PlanChunk plain = chunk("t", 20, 0, 10_000);
        PlanChunk traced = plain.toBuilder()
                .setEntry(plain.getEntry().toBuilder().setTraced(true))
                .build();
        assertThat(Entries.of(traced).stream().filter(QueueEntry::getTraced)).hasSize(16);
        assertThat(Entries.of(traced.toBuilder().setChunk(1).build())).noneMatch(QueueEntry::getTraced);
        assertThat(Entries.of(plain)).noneMatch(QueueEntry::getTraced);
        assertThat(Entries.cancelling(traced, 7)).noneMatch(QueueEntry::getTraced);
    }

    @Test
    void shouldCancelEverySensorOfAChunk() {
        PlanChunk chunk = chunk("c", 20, 1_000, 10_000);
        assertThat(Entries.cancelling(chunk, 77)).hasSize(20).allSatisfy(entry -> {
            assertThat(entry.getCancelRevision()).isEqualTo(77);
            assertThat(entry.getMsgId()).isEqualTo("c");
            assertThat(entry.getPrincipal()).isEqualTo(chunk.getEntry().getPrincipal());
        });
    }

    @Test
    void shouldCutASetIntoChunksThatHoldEachSensorOnce() {
        for (int size : new int[] {0, 1, 999, 1_000, 1_001, 2_000, 12_345}) {
            SensorSet set = SensorSet.of(IntStream.range(0, size)
                    .mapToObj(i -> "s-" + i)
                    .flatMap(id -> List.of(id, id).stream())
                    .toList());
            var seen = new HashSet<String>();
            for (int chunk = 0; chunk < set.chunks(); chunk++) {
                List<String> ids = set.chunk(chunk);
                assertThat(ids).hasSize(chunk < set.chunks() - 1 ? 1_000 : size - 1_000 * chunk);
                ids.forEach(id -> assertThat(seen.add(id)).isTrue());
            }
            assertThat(seen).hasSize(size);
        }
    }

    private static PlanChunk chunk(String msgId, int sensors, long windowMs, long ttlMs) {
        return PlanChunk.newBuilder()
                .setCustomerId("acme")
                .setMsgId(msgId)
                .addAllSensorIds(
                        IntStream.range(0, sensors).mapToObj(i -> "s-" + i).toList())
                .setEntry(QueueEntry.newBuilder()
                        .setCustomerId("acme")
                        .setMsgId(msgId)
                        .setAcceptedAtUs(ACCEPTED_US)
                        .setExpiresAtUs(ACCEPTED_US + ttlMs * 1_000)
                        .setJitterWindowMs(windowMs))
                .build();
    }
}
