package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What an operator does about a type that sensors send before it is registered: quarantine, add it, requeue. */
class RequeueIT {
    private static final int TYPE = 4_711;

    @Test
    void shouldBringBackWhatAnUnregisteredTypeCost() {
        var sensor = Sensor.fresh("requeue");
        var neighbour = Sensor.fresh("requeue");
        try (Session session = Link.open(sensor);
                Session other = Link.open(neighbour)) {
            session.append(Event.of(1), Event.of(2).withType(TYPE), Event.of(3)).expectWatermark(3);
            session.append(Event.of(4).withType(TYPE)).expectWatermark(4);
            other.append(Event.of(1).withType(TYPE)).expectWatermark(1);
            assertThat(seqs(awaitLines("structured", sensor, "event", 2))).containsExactly(1, 3);
            assertThat(awaitLines("coverage", sensor, "marker", 2))
                    .allSatisfy(marker ->
                            assertThat(marker.get("reason").asString()).isEqualTo("UNREGISTERED_TYPE"));

            sallyport("event-type", "add", "RequeueTest", "--number", Integer.toString(TYPE), "--json");
            JsonNode report = sallyport(
                            "requeue", "--customer", sensor.customerId(), "--sensor", sensor.sensorId(), "--json")
                    .get(0);
            assertThat(report.get("matched").asInt()).isEqualTo(2);
            assertThat(report.get("requeued").asInt()).isEqualTo(2);

            assertThat(seqs(awaitLines("structured", sensor, "event", 4))).containsExactly(1, 3, 2, 4);
            assertThat(awaitLines("coverage", sensor, "marker", 4))
                    .filteredOn(marker -> marker.get("reason").asString().equals("GAP_CLOSED"))
                    .hasSize(2);

            // Once more: nothing of it stands twice.
            sallyport("requeue", "--customer", sensor.customerId(), "--sensor", sensor.sensorId(), "--json");
            session.append(Event.of(5)).expectWatermark(5);
            assertThat(seqs(awaitLines("structured", sensor, "event", 5))).containsExactly(1, 3, 2, 4, 5);
            assertThat(lines("structured", neighbour, "event"))
                    .as("another sensor's content stays where it is")
                    .isEmpty();
        }
    }

    private static List<JsonNode> sallyport(String... arguments) {
        return Link.target().sallyport(arguments);
    }

    private static List<JsonNode> awaitLines(String topic, Sensor sensor, String kind, int count) {
        return await().atMost(Duration.ofSeconds(60))
                .until(() -> lines(topic, sensor, kind), lines -> lines.size() >= count);
    }

    private static List<JsonNode> lines(String topic, Sensor sensor, String kind) {
        return Link.target().read(topic, sensor).stream()
                .filter(line -> line.get("kind").asString().equals(kind))
                .toList();
    }

    private static List<Integer> seqs(List<JsonNode> lines) {
        return lines.stream().map(line -> line.get("seq").asInt()).toList();
    }
}
