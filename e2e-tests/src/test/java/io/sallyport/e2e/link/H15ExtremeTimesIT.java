package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Case H15 from the link to the files: a sensor's clock is kept as it is, and moves nothing. */
class H15ExtremeTimesIT {
    private static final long TEN_YEARS_US = 315_360_000_000_000L;

    private final Instant began = Instant.now();
    private final Sensor sensor = Sensor.fresh("h15");

    private static Event at(long seq, long us) {
        return Event.of(seq).withTime(us);
    }

    private List<JsonNode> lines(String topic, String kind) {
        return Link.target().read(topic, sensor).stream()
                .filter(line -> kind.isEmpty() || line.get("kind").asString().equals(kind))
                .toList();
    }

    @Test
    void shouldKeepTheTimesAndBeMovedByNone() {
        long now = began.toEpochMilli() * 1_000;
        List<Long> times = new ArrayList<>(List.of(-1L, 0L, now, now + TEN_YEARS_US, Long.MAX_VALUE));
        try (Session session = Link.open(sensor)) {
            session.append(
                            at(1, times.get(0)),
                            at(2, times.get(1)),
                            at(3, times.get(2)),
                            at(4, times.get(3)),
                            at(5, times.get(4)))
                    .expectWatermark(5);
            session.append(at(6, now), at(7, now), at(8, now), at(9, now), at(10, now))
                    .expectWatermark(10);
            LongStream.range(0, 5).forEach(i -> times.add(now));
            List<JsonNode> events = await().atMost(Duration.ofSeconds(60))
                    .until(() -> lines("structured", "event"), found -> found.size() >= 10);
            assertThat(events)
                    .extracting(line -> line.get("seq").asInt())
                    .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            assertThat(events)
                    .extracting(line -> line.path("event_ts_us").asString("0"))
                    .containsExactlyElementsOf(
                            times.stream().map(String::valueOf).toList());
            assertThat(events)
                    .extracting(line -> line.path("clock_skew").asBoolean(false))
                    .as("the times that cannot be right are marked")
                    .containsExactly(true, true, false, true, true, false, false, false, false, false);
            assertThat(lines("structured", "marker")).as("nothing is late").isEmpty();
            assertThat(Link.target().read("raw", sensor))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(record -> {
                        Instant appended =
                                Instant.ofEpochMilli(record.get("log_ts_ms").asLong());
                        assertThat(appended)
                                .isBetween(began.minus(Duration.ofHours(1)), began.plus(Duration.ofHours(1)));
                    });
            assertExported();

            // Whatever took these is still at work.
            session.append(at(11, now)).expectWatermark(11);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> lines("structured", "event").size() == 11);
        }
    }

    private void assertExported() {
        Link.target().sallyport("export", "--json");
        JsonNode list = Link.target()
                .sallyport("export", "list", "--customer", sensor.customerId(), "--json")
                .get(0);
        LocalDate today = LocalDate.ofInstant(began, ZoneOffset.UTC);
        assertThat(list.get("files")).isNotEmpty().allSatisfy(file -> {
            assertThat(LocalDate.parse(file.get("date").asString())).isBetween(today.minusDays(1), today.plusDays(1));
            assertThat(file.get("path").asString())
                    .contains("/date=" + file.get("date").asString() + "/");
        });
    }
}
