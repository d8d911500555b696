package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.e2e.link.proto.EpochVerdict;
import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Case H11: two live machines with one identity, each of which reconnects at once when it is pushed out. */
class H11TwoMachinesIT {
    private static final int TAKEOVERS_PER_MINUTE = 3;

    @Test
    void shouldSlowTwoMachinesThatPushEachOtherOutAndLoseNothing() {
        var sensor = Sensor.fresh("h11");
        long last;
        try (Session session = Link.open(sensor)) {
            session.append(Event.range(1, 100)).expectWatermark(100);
            last = session.accept().getSessionId();
        }
        double alertsBefore = Link.target().alerts("IDENTITY_CONFLICT");
        var a = new Machine(sensor, "A", last);
        var b = new Machine(sensor, "B", last);
        var refusals = new ArrayList<Reject>();
        int takeovers = 0;
        Machine live = a;
        assertThat(a.start()).isNull();
        while (refusals.size() < 3) {
            Machine other = live == a ? b : a;
            Reject refused = other.start();
            if (refused == null) {
                takeovers++;
                live.expectPushedOut();
                live = other;
            } else {
                refusals.add(refused);
                // It stays who it is, and goes on.
                live.sendFive();
            }
        }

        assertThat(takeovers).isBetween(1, TAKEOVERS_PER_MINUTE);
        assertThat(refusals).allSatisfy(reject -> assertThat(reject.getCode()).isEqualTo(RejectCode.ADMISSION_LIMITED));
        // 1 s, 2 s, 4 s, each with its jitter.
        assertThat(refusals.get(2).getRetryAfterMs())
                .isGreaterThan(refusals.get(0).getRetryAfterMs());
        assertThat(Link.target().alerts("IDENTITY_CONFLICT") - alertsBefore).isEqualTo(1);

        var acknowledged = new ArrayList<String>(a.acknowledged);
        acknowledged.addAll(b.acknowledged);
        List<JsonNode> lines = await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> Link.target().read("structured", sensor),
                        read -> read.stream().filter(H11TwoMachinesIT::isEvent).count() >= 100 + acknowledged.size());
        List<String> stored = lines.stream()
                .filter(H11TwoMachinesIT::isEvent)
                .map(line ->
                        line.get("epoch").asString() + "/" + line.get("seq").asString() + "/"
                                + line.path("payload_json").path("machine").asString(""))
                .toList();
        assertThat(stored).doesNotHaveDuplicates().containsAll(acknowledged);
        a.session().close();
        b.session().close();
    }

    private static boolean isEvent(JsonNode line) {
        return "event".equals(line.get("kind").asString());
    }

    /** One of the two: it knows what it was told itself, and nothing of the other. */
    private static final class Machine {
        private final Sensor sensor;
        private final String name;
        private final List<String> acknowledged = new ArrayList<>();
        private long epoch = 1;
        private long watermark = 100;
        private long lastSessionId;
        private @Nullable Session session;

        Machine(Sensor sensor, String name, long lastSessionId) {
            this.sensor = sensor;
            this.name = name;
            this.lastSessionId = lastSessionId;
        }

        Session session() {
            if (session == null) {
                throw new AssertionError(name + " has no session");
            }
            return session;
        }

        /** @return the refusal; null where it was accepted, and has sent events of its own */
        @Nullable
        Reject start() {
            SensorStart.Builder start = sensor.start((int) epoch, watermark, watermark + 1, lastSessionId);
            Session opened = Link.connect(sensor).send(Frames.frame(Frames.SENSOR_START, start.build()));
            if (!opened.isAccepted()) {
                try (opened) {
                    return opened.expectFinalReject(RejectCode.ADMISSION_LIMITED);
                }
            }
            session = opened;
            if (opened.epoch() != epoch) {
                assertThat(opened.accept().getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
                epoch = opened.epoch();
                watermark = 0;
            }
            lastSessionId = opened.accept().getSessionId();
            sendFive();
            return null;
        }

        void sendFive() {
            Event[] events = new Event[5];
            for (int i = 0; i < events.length; i++) {
                long seq = watermark + 1 + i;
                events[i] = Event.of(seq, Bytes.ascii("{\"machine\":\"" + name + "\",\"n\":" + seq + "}"));
                acknowledged.add(epoch + "/" + seq + "/" + name);
            }
            watermark += events.length;
            session().append(events).expectWatermark(watermark);
        }

        void expectPushedOut() {
            session().expectFinalReject(RejectCode.SUPERSEDED);
            session().close();
        }
    }
}
