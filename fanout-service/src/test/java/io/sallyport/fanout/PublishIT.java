package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What each route of the HTTP edge does where nothing is wrong. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PublishIT {
    private static final int SENSORS = 25;

    private final RunningFanout fanout;
    private final CommandLog log;
    private final String acme;

    PublishIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.acme = fanout.tokens.all("acme");
    }

    @BeforeAll
    void sensors() {
        log.fleet("acme", "pub-", SENSORS, "pub");
        fanout.awaitSensors(acme, "tag.suite = pub", SENSORS);
    }

    @Test
    void shouldWriteBodyPlanAndEntryBeforeItAnswers() throws Exception {
        var reply = fanout.post(acme, "/v1/messages", """
                {"msg_id":"p1","target":{"sensor_id":"pub-1"},"type":"CONFIG_UPDATE","payload":"aGVsbG8=","priority":3}
                """);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(202);
        assertThat(reply.text("outcome")).isEqualTo("ACCEPTED");
        assertThat(reply.number("resolved")).isEqualTo(1);
        var entries = CommandLog.entries("acme", "p1");
        assertThat(entries).hasSize(1);
        assertThat(entries.get(0).getSensorId()).isEqualTo("pub-1");
        assertThat(entries.get(0).getPriority()).isEqualTo(3);
        assertThat(entries.get(0).getRevision()).isEqualTo(reply.number("revision"));
        var bodies = CommandLog.read(Topics.MESSAGE_BODIES).stream()
                .filter(record -> record.key().equals("acme/p1"))
                .toList();
        assertThat(bodies).hasSize(1);
        assertThat(MessageBody.parseFrom(bodies.get(0).value()).getPayload().toStringUtf8())
                .isEqualTo("hello");
    }

    @Test
    void shouldLeaveATraceOfWhoDidWhat() throws Exception {
        String publish = """
                {"msg_id":"p-audit","target":{"sensor_id":"%s"},"type":"CONFIG_UPDATE","payload":"YQ=="}""";
        fanout.post(acme, "/v1/messages", publish.formatted("pub-1")).ok();
        fanout.post(acme, "/v1/messages", publish.formatted("pub-2")).refused(409, "MSG_ID_CONFLICT");
        fanout.post(acme, "/v1/messages/p-audit:cancel", "{}").ok();
        fanout.send(acme, "PUT", "/v1/segments/p-audit", "{\"sensor_ids\":[\"pub-1\",\"pub-2\"]}")
                .ok();
        fanout.send(acme, "DELETE", "/v1/segments/p-audit", null);
        var trail = new ArrayList<String>();
        for (var record : CommandLog.read(Topics.AUDIT)) {
            var audit = AuditRecord.parseFrom(record.value());
            if (audit.getSubject().equals("p-audit")) {
                assertThat(record.key()).isEqualTo("acme");
                assertThat(audit.getBy()).isNotEmpty();
                trail.add(audit.getAction() + " " + audit.getOutcome() + audit.getCode() + " " + audit.getCount());
            }
        }
        assertThat(trail)
                .containsExactly(
                        "publish accepted 1",
                        "publish conflictMSG_ID_CONFLICT 1",
                        "cancel cancelled 1",
                        "segment.put done 2",
                        "segment.delete done 0");
    }

    @Test
    void shouldChangeNothingWhereTheSameMessageComesAgain() {
        String body = """
                {"msg_id":"p2","target":{"sensor_id":"pub-2"},"type":"CONFIG_UPDATE","payload":"%s"}""";
        var first = fanout.post(acme, "/v1/messages", body.formatted("YQ==")).ok();

        var again = fanout.post(acme, "/v1/messages", body.formatted("YQ=="));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("outcome")).isEqualTo("SAME");
        assertThat(again.number("revision")).isEqualTo(first.number("revision"));
        fanout.post(acme, "/v1/messages", body.formatted("Yg==")).refused(409, "MSG_ID_CONFLICT");
        assertThat(CommandLog.entries("acme", "p2")).hasSize(1);
    }

    @Test
    void shouldPublishToExactlyThePreviewedSetOrNotAtAll() {
        log.fleet("acme", "view-", 3, "view");
        fanout.awaitSensors(acme, "tag.suite = view", 3);
        String target = "{\"selector\":\"tag.suite = view\"}";
        var preview = fanout.post(acme, "/v1/messages:preview", "{\"target\":" + target + "}")
                .ok();
        assertThat(preview.number("count")).isEqualTo(3);
        assertThat(preview.texts("sample")).containsExactly("view-0", "view-1", "view-2");
        String publish = "{\"msg_id\":\"%s\",\"type\":\"CONFIG_UPDATE\",\"payload\":\"\",\"target\":" + target
                + ",\"preview_token\":\"" + preview.text("preview_token") + "\"}";
        assertThat(fanout.post(acme, "/v1/messages", publish.formatted("p3"))
                        .ok()
                        .number("resolved"))
                .isEqualTo(3);

        log.fleet("acme", "view-", 4, "view");
        fanout.awaitSensors(acme, "tag.suite = view", 4);
        fanout.post(acme, "/v1/messages", publish.formatted("p4")).refused(422, "PREVIEW_STALE");
        assertThat(CommandLog.entries("acme", "p4")).isEmpty();
        fanout.get(acme, "/v1/messages/p4").refused(404, "UNKNOWN_MESSAGE");
    }

    @Test
    void shouldListTheStateOfEachTargetInPagesAndCountThem() {
        fanout.post(acme, "/v1/messages", """
                {"msg_id":"p5","target":{"selector":"tag.suite = pub"},"type":"CONFIG_UPDATE","payload":"","coalesce_key":"k"}""").ok();
        var planned = fanout.pages(acme, "/v1/messages/p5/targets?page_size=10");
        assertThat(planned).hasSize(3);
        assertThat(planned.stream().flatMap(page -> page.texts("targets", "sensor_id").stream()))
                .containsExactlyElementsOf(pubSensors());
        assertThat(planned.get(2).texts("targets", "state")).containsOnly("planned");

        log.target(TargetStatus.newBuilder()
                .setCustomerId("acme")
                .setMsgId("p5")
                .setSensorId("pub-0")
                .setState(TargetState.NACKED)
                .setCode(7)
                .setDetail("busy")
                .build());
        log.counts(StatusPartial.newBuilder()
                .setCustomerId("acme")
                .setMsgId("p5")
                .setTask(3)
                .setNacked(1)
                .setInFlight(4)
                .setLateAcks(2)
                .build());
        log.counts(StatusPartial.newBuilder()
                .setCustomerId("acme")
                .setMsgId("p5")
                .setTask(4)
                .setAcked(5)
                .build());
        log.flush();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            var message = fanout.get(acme, "/v1/messages/p5").ok();
            assertThat(message.number("acked")).isEqualTo(5);
            assertThat(message.number("in_flight")).isEqualTo(4);
            assertThat(message.number("nacked")).isEqualTo(1);
            assertThat(message.number("planned")).isEqualTo(SENSORS - 10);
            assertThat(message.number("late_acks")).isEqualTo(2);
            assertThat(message.text("published_by")).isEqualTo("tester");
            assertThat(message.body().get("target").get("selector").asString()).isEqualTo("tag.suite = pub");
            var first = fanout.get(acme, "/v1/messages/p5/targets?page_size=1")
                    .body()
                    .get("targets")
                    .get(0);
            assertThat(first.get("state").asString()).isEqualTo("nacked");
            assertThat(first.get("code").asInt()).isEqualTo(7);
            assertThat(first.get("detail").asString()).isEqualTo("busy");
        });
    }

    @Test
    void shouldWithdrawEveryTargetOfACancelledMessageOnce() {
        fanout.post(acme, "/v1/messages", """
                {"msg_id":"p6","target":{"selector":"tag.suite = pub"},"type":"RESPONSE_ACTION","payload":""}""").ok();
        var cancelled = fanout.post(acme, "/v1/messages/p6:cancel", null).ok();
        assertThat(cancelled.body().get("cancel_requested").asBoolean()).isTrue();
        fanout.post(acme, "/v1/messages/p6:cancel", null).ok();

        var entries = CommandLog.entries("acme", "p6");
        assertThat(entries).hasSize(2 * SENSORS);
        assertThat(entries.stream().filter(entry -> entry.getCancelRevision() > entry.getRevision()))
                .hasSize(SENSORS);
        // The same message again is still the same, and still cancelled.
        assertThat(fanout.post(acme, "/v1/messages", """
                {"msg_id":"p6","target":{"selector":"tag.suite = pub"},"type":"RESPONSE_ACTION","payload":""}""").text("outcome")).isEqualTo("SAME");
        assertThat(CommandLog.entries("acme", "p6")).hasSize(2 * SENSORS);
    }

    @Test
    void shouldListSensorsThatASelectorMatches() {
        log.session(new SensorKey("acme", "pub-3"), 9_000_000, true);
        log.flush();
        fanout.awaitSensors(acme, "tag.suite = pub and connected", 1);
        var pages = fanout.pages(
                acme, "/v1/sensors?page_size=10&selector=tag.suite%20%3D%20pub%20and%20os.version%20%3E%3D%204.9");
        assertThat(pages).hasSize(2);
        assertThat(pages.get(0).number("count")).isEqualTo(SENSORS - 9);
        assertThat(pages.stream().flatMap(page -> page.texts("sensors", "sensor_id").stream()))
                .hasSize(SENSORS - 9)
                .isSorted();
        var sensor = fanout.get(acme, "/v1/sensors?selector=tag.suite%20%3D%20pub%20and%20connected")
                .body()
                .get("sensors")
                .get(0);
        assertThat(sensor.get("sensor_id").asString()).isEqualTo("pub-3");
        assertThat(sensor.get("hostname").asString()).isEqualTo("host-3");
        assertThat(sensor.get("tags").get("n").asString()).isEqualTo("3");
    }

    @Test
    void shouldTakeMessagesForASensorOnceItIsRegistered() {
        String body = """
                {"msg_id":"p7","target":{"sensor_id":"pub-new"},"type":"CONFIG_UPDATE","payload":""}""";
        fanout.post(acme, "/v1/messages", body).refused(422, "UNKNOWN_SENSOR");
        fanout.send(acme, "PUT", "/v1/sensors/pub-new", null).ok();
        fanout.send(acme, "PUT", "/v1/sensors/pub-new", null).ok();
        // What was refused was never accepted, so that its msg_id is free.
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> assertThat(fanout.post(acme, "/v1/messages", body).status())
                                .isEqualTo(202));
    }

    @Test
    void shouldKeepReplaceAndDeleteSegments() {
        var put = fanout.send(acme, "PUT", "/v1/segments/pilots", segment(pubSensors()))
                .ok();
        assertThat(put.number("count")).isEqualTo(SENSORS);
        var pages = fanout.pages(acme, "/v1/segments/pilots?page_size=20");
        assertThat(pages.stream().flatMap(page -> page.texts("sensor_ids").stream()))
                .containsExactlyElementsOf(pubSensors());
        String publish = """
                {"msg_id":"%s","target":{"segment":"pilots"},"type":"CONFIG_UPDATE","payload":""}""";
        assertThat(fanout.post(acme, "/v1/messages", publish.formatted("p8"))
                        .ok()
                        .number("resolved"))
                .isEqualTo(SENSORS);

        var replaced = fanout.send(acme, "PUT", "/v1/segments/pilots", segment(List.of("pub-4", "pub-4", "pub-2")))
                .ok();
        assertThat(replaced.number("version")).isGreaterThan(put.number("version"));
        assertThat(fanout.post(acme, "/v1/messages", publish.formatted("p9"))
                        .ok()
                        .number("resolved"))
                .isEqualTo(2);
        assertThat(fanout.get(acme, "/v1/messages/p8").number("resolved")).isEqualTo(SENSORS);

        fanout.send(acme, "DELETE", "/v1/segments/pilots", null).ok();
        fanout.get(acme, "/v1/segments/pilots").refused(404, "SEGMENT_NOT_FOUND");
        fanout.post(acme, "/v1/messages", publish.formatted("p10")).refused(422, "UNKNOWN_SEGMENT");
    }

    @Test
    void shouldTakeTheLargestPayloadThatAFrameCanCarry() {
        String body = """
                {"msg_id":"%s","target":{"sensor_id":"pub-9"},"type":"CONFIG_UPDATE","payload":"%s"}""";
        var largest = new byte[(1 << 20) - (64 << 10)];
        fanout.post(
                        acme,
                        "/v1/messages",
                        body.formatted("p11", Base64.getEncoder().encodeToString(largest)))
                .ok();
        var more = new byte[largest.length + 1];
        fanout.post(
                        acme,
                        "/v1/messages",
                        body.formatted("p12", Base64.getEncoder().encodeToString(more)))
                .refused(413, "PAYLOAD_TOO_LARGE");
    }

    private static List<String> pubSensors() {
        return IntStream.range(0, SENSORS).mapToObj(i -> "pub-" + i).sorted().toList();
    }

    private static String segment(List<String> sensors) {
        return "{\"sensor_ids\":[\"" + String.join("\",\"", sensors) + "\"]}";
    }
}
