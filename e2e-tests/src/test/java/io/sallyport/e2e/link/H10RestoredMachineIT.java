package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.e2e.link.proto.EpochVerdict;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Case H10: a restored machine comes back with an older epoch, over the whole stack. */
class H10RestoredMachineIT {

    @Test
    void shouldNumberARestoredMachineAnewAndSayWhereTheOldEpochEnded() {
        var sensor = Sensor.fresh("h10");
        long lastSessionId = 0;
        for (int epoch = 1; epoch <= 5; epoch++) {
            try (Session session = Link.open(sensor)) {
                assertThat(session.epoch()).isEqualTo(epoch);
                int events = epoch == 5 ? 1_000 : 300;
                for (int from = 1; from <= events; from += 100) {
                    session.append(Event.range(from, from + 99)).expectWatermark(from + 99);
                }
                lastSessionId = session.accept().getSessionId();
            }
        }

        // The same frame on two connections at once: one issues epoch 6, the other is given the same one.
        SensorStart.Builder restored = sensor.start(4, 299, 300, lastSessionId);
        byte[] start = Frames.frame(Frames.SENSOR_START, restored.build());
        try (Session one = Link.connect(sensor);
                Session two = Link.connect(sensor)) {
            one.send(start);
            two.send(start);
            Session alive = survivor(one, two);
            assertThat(alive.epoch()).isEqualTo(6);
            assertThat(alive.accept().getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(alive.accept().getPresentedEpochWatermark()).isEqualTo(299);
            alive.append(Event.range(1, 50)).expectWatermark(50);
        }

        List<JsonNode> lines = await().atMost(Duration.ofSeconds(60))
                .until(() -> Link.target().read("structured", sensor), read -> count(read, "event", 6) == 50);
        assertThat(seqs(lines, 6))
                .as("nothing was compared with epochs 4 or 5")
                .isEqualTo(IntStream.rangeClosed(1, 50).boxed().toList());
        assertThat(seqs(lines, 5)).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(lines.stream().filter(line -> "EPOCH_ROLLBACK".equals(text(line, "reason"))))
                .singleElement()
                .satisfies(marker -> {
                    assertThat(marker.get("epoch").asLong()).isEqualTo(6);
                    assertThat(text(marker, "detail"))
                            .isEqualTo("presented epoch 4, next_seq 300; epoch 5 ended at 1000");
                });
        assertThat(Link.target().read("quarantine", sensor)).isEmpty();

        // Never issued, and not adopted.
        try (Session session = Link.open(sensor, sensor.start(9, 10, 11, 0))) {
            assertThat(session.accept().getVerdict()).isEqualTo(EpochVerdict.DIVERGED);
            assertThat(session.epoch()).isEqualTo(10);
        }
        assertThat(Link.target().alerts("EPOCH_DIVERGED")).isPositive();
    }

    /** The session that stays; the other is told that it was superseded, before or after its ACCEPT. */
    private static Session survivor(Session one, Session two) {
        boolean first = one.isAccepted();
        boolean second = two.isAccepted();
        assertThat(first || second).isTrue();
        boolean oneStays = first
                && (!second
                        || Long.compareUnsigned(
                                        one.accept().getSessionId(),
                                        two.accept().getSessionId())
                                > 0);
        if (first && second) {
            assertThat(one.epoch()).as("one cause, one epoch").isEqualTo(two.epoch());
        }
        (oneStays ? two : one).expectFinalReject(RejectCode.SUPERSEDED);
        return oneStays ? one : two;
    }

    private static long count(List<JsonNode> lines, String kind, int epoch) {
        return lines.stream()
                .filter(line ->
                        kind.equals(text(line, "kind")) && line.get("epoch").asInt() == epoch)
                .count();
    }

    private static List<Integer> seqs(List<JsonNode> lines, int epoch) {
        return lines.stream()
                .filter(line ->
                        "event".equals(text(line, "kind")) && line.get("epoch").asInt() == epoch)
                .map(line -> Integer.valueOf(text(line, "seq")))
                .toList();
    }

    private static String text(JsonNode line, String field) {
        JsonNode value = line.get(field);
        return value == null ? "" : value.asString();
    }
}
