package io.sallyport.fanout;

import static io.sallyport.fanout.ApiCases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.Keys;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CancelMessage;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SegmentChunk;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.Target;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import io.sallyport.proto.publish.v1.DeleteSegmentRequest;
import io.sallyport.proto.publish.v1.GetSegmentRequest;
import io.sallyport.proto.publish.v1.ListSensorsRequest;
import io.sallyport.proto.publish.v1.ListTargetsRequest;
import io.sallyport.proto.publish.v1.MessageRequest;
import io.sallyport.proto.publish.v1.PreviewRequest;
import io.sallyport.proto.publish.v1.PublishRequest;
import io.sallyport.proto.publish.v1.PutSegmentRequest;
import io.sallyport.proto.publish.v1.RegisterSensorRequest;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two customers with sensors, messages and segments of the same names: neither sees, or reaches, anything of the other. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsIT {
    private final RunningFanout fanout;
    private final CommandLog log;
    private final String acme;
    private final String globex;

    TenantsIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.acme = fanout.tokens.all("acme");
        this.globex = fanout.tokens.all("globex");
    }

    @BeforeAll
    void sensors() {
        log.fleet("acme", "twin-", 3, "twin");
        log.fleet("globex", "twin-", 5, "twin");
        log.sensor(
                new SensorKey("globex", "theirs"),
                1,
                HostMetadata.newBuilder().putTags("secret", "x").build());
        log.flush();
        fanout.awaitSensors(acme, "tag.suite = twin", 3);
        fanout.awaitSensors(globex, "tag.suite = twin", 5);
        fanout.awaitSensors(globex, "has(tag.secret)", 1);
    }

    @Test
    void shouldRefuseEveryRouteForAnotherCustomer() {
        fanout.post(
                        globex,
                        "/v1/messages",
                        json("{'msg_id':'ct','target':{'sensor_id':'theirs'},'type':'CONFIG_UPDATE','payload':''}"))
                .ok();
        fanout.send(globex, "PUT", "/v1/segments/ct", json("{'sensor_ids':['theirs']}"))
                .ok();
        double alerts = fanout.alerts("CROSS_TENANT");
        double counted = fanout.refusals("rest", "CROSS_TENANT");
        String[][] routes = {
            {
                "POST",
                "/v1/messages",
                "{'msg_id':'ct2','target':{'sensor_id':'theirs'},'type':'CONFIG_UPDATE','payload':''}"
            },
            {"POST", "/v1/messages:preview", "{'target':{'fleet':true}}"},
            {"GET", "/v1/messages/ct", null},
            {"GET", "/v1/messages/ct/targets", null},
            {"POST", "/v1/messages/ct:cancel", null},
            {"GET", "/v1/sensors", null},
            {"PUT", "/v1/sensors/new", null},
            {"PUT", "/v1/segments/ct", "{'sensor_ids':[]}"},
            {"GET", "/v1/segments/ct", null},
            {"DELETE", "/v1/segments/ct", null},
        };
        for (String[] route : routes) {
            fanout.send(acme, route[0], route[1] + "?customer_id=globex", route[2] == null ? null : json(route[2]))
                    .refused(403, "CROSS_TENANT");
        }
        assertThat(fanout.alerts("CROSS_TENANT") - alerts).isEqualTo(routes.length);
        assertThat(fanout.refusals("rest", "CROSS_TENANT") - counted).isEqualTo(routes.length);
        // Without naming the other one, there is nothing of that name.
        fanout.get(acme, "/v1/messages/ct").refused(404, "UNKNOWN_MESSAGE");
        fanout.get(acme, "/v1/messages/ct/targets").refused(404, "UNKNOWN_MESSAGE");
        fanout.post(acme, "/v1/messages/ct:cancel", null).refused(404, "UNKNOWN_MESSAGE");
        fanout.get(acme, "/v1/segments/ct").refused(404, "SEGMENT_NOT_FOUND");
        fanout.send(acme, "DELETE", "/v1/segments/ct", null).refused(404, "SEGMENT_NOT_FOUND");
        assertThat(fanout.get(globex, "/v1/messages/ct")
                        .ok()
                        .body()
                        .get("cancel_requested")
                        .asBoolean())
                .isFalse();
        assertThat(fanout.get(globex, "/v1/segments/ct").ok().number("count")).isEqualTo(1);
    }

    @Test
    void shouldRefuseEveryCallForAnotherCustomer() {
        var grpc = fanout.grpc(acme);
        double alerts = fanout.alerts("CROSS_TENANT");
        String other = "globex";
        var message =
                MessageRequest.newBuilder().setCustomerId(other).setMsgId("ct").build();
        List<ThrowingCallable> calls = List.of(
                () -> grpc.publish(PublishRequest.newBuilder()
                        .setCustomerId(other)
                        .setMsgId("ct3")
                        .build()),
                () -> grpc.preview(
                        PreviewRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.getMessage(message),
                () -> grpc.listTargets(
                        ListTargetsRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.cancelMessage(message),
                () -> grpc.listSensors(
                        ListSensorsRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.registerSensor(
                        RegisterSensorRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.putSegment(
                        PutSegmentRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.getSegment(
                        GetSegmentRequest.newBuilder().setCustomerId(other).build()),
                () -> grpc.deleteSegment(
                        DeleteSegmentRequest.newBuilder().setCustomerId(other).build()));
        calls.forEach(call -> GrpcIT.refused(call, Status.Code.PERMISSION_DENIED, "CROSS_TENANT"));
        assertThat(fanout.alerts("CROSS_TENANT") - alerts).isEqualTo(calls.size());
    }

    @Test
    void shouldResolveTargetsAmongTheCallersOwnSensors() {
        assertThat(preview(acme, "{'selector':'tag.suite = twin'}").number("count"))
                .isEqualTo(3);
        assertThat(preview(globex, "{'selector':'tag.suite = twin'}").number("count"))
                .isEqualTo(5);
        preview(acme, "{'selector':'tag.secret = x'}").refused(400, "UNKNOWN_KEY");
        preview(acme, "{'sensor_id':'theirs'}").refused(422, "UNKNOWN_SENSOR");
        fanout.send(globex, "PUT", "/v1/segments/theirs-only", json("{'sensor_ids':['theirs']}"))
                .ok();
        preview(acme, "{'segment':'theirs-only'}").refused(422, "UNKNOWN_SEGMENT");
        fanout.send(acme, "PUT", "/v1/segments/mine", json("{'sensor_ids':['theirs']}"))
                .refused(422, "UNKNOWN_SENSOR");
        // A preview of one customer's set opens nothing of another's.
        String token = preview(globex, "{'selector':'tag.suite = twin'}").text("preview_token");
        fanout.post(
                        acme,
                        "/v1/messages",
                        json(
                                "{'msg_id':'ct4','target':{'selector':'tag.suite = twin'},'type':'CONFIG_UPDATE','payload':'',"
                                        + "'preview_token':'" + token + "'}"))
                .refused(422, "PREVIEW_STALE");
    }

    @Test
    void shouldKeepEqualMsgIdsOfTwoCustomersApart() throws Exception {
        String body =
                "{'msg_id':'same-name','target':{'selector':'tag.suite = twin'},'type':'CONFIG_UPDATE','payload':'%s'}";
        assertThat(fanout.post(acme, "/v1/messages", json(body.formatted("QQ==")))
                        .ok()
                        .number("resolved"))
                .isEqualTo(3);
        assertThat(fanout.post(globex, "/v1/messages", json(body.formatted("Qg==")))
                        .ok()
                        .number("resolved"))
                .isEqualTo(5);

        for (String customer : List.of("acme", "globex")) {
            var entries = CommandLog.entries(customer, "same-name");
            assertThat(entries).hasSize(customer.equals("acme") ? 3 : 5);
            assertThat(entries).extracting(QueueEntry::getCustomerId).containsOnly(customer);
            assertThat(entries)
                    .allSatisfy(entry ->
                            assertThat(entry.getPrincipal().getCustomersList()).containsExactly(customer));
        }
        for (var record : CommandLog.read(Topics.MESSAGE_BODIES)) {
            var stored = MessageBody.parseFrom(record.value());
            if (stored.getMsgId().equals("same-name")) {
                assertThat(record.key()).isEqualTo(stored.getCustomerId() + "/same-name");
                assertThat(stored.getPayload().toStringUtf8())
                        .isEqualTo(stored.getCustomerId().equals("acme") ? "A" : "B");
            }
        }
        for (var record : CommandLog.read(Topics.SENSOR_QUEUE)) {
            assertThat(record.key())
                    .startsWith(QueueEntry.parseFrom(record.value()).getCustomerId() + "/");
        }

        log.counts(StatusPartial.newBuilder()
                .setCustomerId("acme")
                .setMsgId("same-name")
                .setAcked(2)
                .build());
        log.target(TargetStatus.newBuilder()
                .setCustomerId("acme")
                .setMsgId("same-name")
                .setSensorId("twin-0")
                .setState(TargetState.ACKED)
                .build());
        log.flush();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(fanout.get(acme, "/v1/messages/same-name").number("acked"))
                    .isEqualTo(2);
            assertThat(fanout.get(acme, "/v1/messages/same-name/targets").texts("targets", "state"))
                    .contains("acked");
        });
        assertThat(fanout.get(globex, "/v1/messages/same-name").number("planned"))
                .isEqualTo(5);
        assertThat(fanout.get(globex, "/v1/messages/same-name/targets").texts("targets", "state"))
                .containsOnly("planned");
        fanout.post(acme, "/v1/messages/same-name:cancel", null).ok();
        assertThat(fanout.get(globex, "/v1/messages/same-name")
                        .body()
                        .get("cancel_requested")
                        .asBoolean())
                .isFalse();
        assertThat(CommandLog.entries("globex", "same-name")).hasSize(5);
    }

    @Test
    void shouldDropForgedRequestsOfTheLog() {
        double alerts = fanout.alerts("CROSS_TENANT");
        var operator =
                Principal.newBuilder().setSubject("forger").addCustomers("acme").addScopes("commands:publish");
        var message = CloudMessage.newBuilder()
                .setMsgId("forged")
                .setType(MessageType.CONFIG_UPDATE_VALUE)
                .setTarget(Target.newBuilder().setSelector("tag.suite = twin"));
        // The value of another customer under the own key, with and without a principal that names it; and the reverse.
        ingress("acme", operator, message.clone().setCustomerId("globex"));
        ingress("acme", operator.clone().addCustomers("globex"), message.clone().setCustomerId("globex"));
        ingress("globex", operator, message.clone().setCustomerId("globex"));
        log.append(
                Topics.INGRESS,
                CommandLog.customerPartition("globex"),
                "globex",
                IngressRecord.newBuilder()
                        .setPrincipal(operator)
                        .setCancel(CancelMessage.newBuilder()
                                .setCustomerId("globex")
                                .setMsgId("ct"))
                        .build());
        log.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> fanout.alerts("CROSS_TENANT") - alerts >= 4);

        double undecodable = fanout.alerts("UNDECODABLE");
        // In the partition of another customer it would not be the single writer's.
        log.append(
                Topics.INGRESS,
                (CommandLog.customerPartition("acme") + 1) % TopicSizing.LOCAL.sensorPartitions(),
                "acme",
                IngressRecord.newBuilder()
                        .setPrincipal(operator)
                        .setPublish(message.clone().setCustomerId("acme"))
                        .build());
        log.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> fanout.alerts("UNDECODABLE") - undecodable >= 1);
        assertThat(fanout.alerts("CROSS_TENANT") - alerts).isEqualTo(4);
        for (String customer : List.of("acme", "globex")) {
            assertThat(CommandLog.entries(customer, "forged")).isEmpty();
        }
        fanout.get(globex, "/v1/messages/forged").refused(404, "UNKNOWN_MESSAGE");
    }

    @Test
    void shouldBelieveNoRecordThatIsNotWhatItsKeyNames() {
        String publish = "{'msg_id':'mine','target':{'sensor_id':'twin-1'},'type':'CONFIG_UPDATE','payload':''}";
        fanout.post(acme, "/v1/messages", json(publish)).ok();
        double alerts = fanout.alerts("CROSS_TENANT");
        int partition = CommandLog.customerPartition("acme");
        forge(
                Topics.MESSAGE_DECISIONS,
                partition,
                "acme/mine",
                MessageDecision.newBuilder()
                        .setCustomerId("globex")
                        .setMsgId("mine")
                        .setAccepted(true)
                        .setResolved(99)
                        .build());
        forge(
                Topics.FANOUT_PLANS,
                partition,
                "acme/mine",
                PlanChunk.newBuilder()
                        .setCustomerId("globex")
                        .setMsgId("mine")
                        .addSensorIds("theirs")
                        .build());
        forge(
                Topics.MESSAGE_STATUS,
                partition,
                "acme/mine/0",
                StatusPartial.newBuilder()
                        .setCustomerId("globex")
                        .setMsgId("mine")
                        .setAcked(1)
                        .build());
        forge(
                Topics.TARGET_STATUS,
                partition,
                "acme/mine/twin-1",
                TargetStatus.newBuilder()
                        .setCustomerId("globex")
                        .setMsgId("mine")
                        .setSensorId("twin-1")
                        .setState(TargetState.ACKED)
                        .build());
        forge(
                Topics.SEGMENTS,
                0,
                Keys.segmentChunk("acme", "forged", 7, 0),
                SegmentChunk.newBuilder()
                        .setCustomerId("globex")
                        .setName("forged")
                        .setVersion(7)
                        .setChunks(1)
                        .addSensorIds("theirs")
                        .build());
        var victim = new SensorKey("acme", "twin-1");
        forge(
                Topics.ENDPOINT_METADATA,
                Slots.partition(victim, TopicSizing.LOCAL.sensorPartitions()),
                "acme/twin-1/999999",
                EndpointMetadata.newBuilder()
                        .setCustomerId("globex")
                        .setSensorId("twin-1")
                        .setVersion(999_999)
                        .setHost(HostMetadata.newBuilder().putTags("suite", "stolen"))
                        .build());
        log.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> fanout.alerts("CROSS_TENANT") - alerts >= 6);

        assertThat(fanout.alerts("CROSS_TENANT") - alerts).isEqualTo(6);
        assertThat(fanout.get(acme, "/v1/messages/mine").ok().number("planned")).isEqualTo(1);
        assertThat(fanout.get(acme, "/v1/messages/mine/targets").ok().texts("targets", "sensor_id"))
                .containsExactly("twin-1");
        assertThat(fanout.get(acme, "/v1/messages/mine/targets").texts("targets", "state"))
                .containsExactly("planned");
        fanout.get(acme, "/v1/segments/forged").refused(404, "SEGMENT_NOT_FOUND");
        fanout.awaitSensors(acme, "tag.suite = twin", 3);
    }

    private <T extends MessageLite> void forge(TopicSpec<T> topic, int partition, String key, T value) {
        log.append(topic, partition, key, value);
    }

    private void ingress(String key, Principal.Builder principal, CloudMessage.Builder message) {
        log.append(
                Topics.INGRESS,
                CommandLog.customerPartition(key),
                key,
                IngressRecord.newBuilder()
                        .setPrincipal(principal)
                        .setPublish(message)
                        .build());
    }

    private RunningFanout.Reply preview(String token, String target) {
        return fanout.post(token, "/v1/messages:preview", json("{'target':" + target + "}"));
    }
}
