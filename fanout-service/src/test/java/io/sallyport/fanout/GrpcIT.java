package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.sallyport.proto.publish.v1.DeleteSegmentRequest;
import io.sallyport.proto.publish.v1.GetSegmentRequest;
import io.sallyport.proto.publish.v1.ListSensorsRequest;
import io.sallyport.proto.publish.v1.ListTargetsRequest;
import io.sallyport.proto.publish.v1.MessageRequest;
import io.sallyport.proto.publish.v1.PreviewRequest;
import io.sallyport.proto.publish.v1.PublishRequest;
import io.sallyport.proto.publish.v1.PublishingGrpc.PublishingBlockingStub;
import io.sallyport.proto.publish.v1.PutSegmentRequest;
import io.sallyport.proto.publish.v1.RegisterSensorRequest;
import io.sallyport.proto.publish.v1.Target;
import io.sallyport.proto.publish.v1.TargetReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gRPC edge does what the HTTP edge does, with the same fields and codes. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrpcIT {
    private static final Target ALL =
            Target.newBuilder().setSelector("tag.suite = grpc").build();

    private final RunningFanout fanout;
    private final CommandLog log;
    private final String token;
    private final PublishingBlockingStub grpc;

    GrpcIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.token = fanout.tokens.all("acme");
        this.grpc = fanout.grpc(token);
    }

    @BeforeAll
    void sensors() {
        log.fleet("acme", "grpc-", 12, "grpc");
        fanout.awaitSensors(token, "tag.suite = grpc", 12);
    }

    @Test
    void shouldPublishPreviewReadAndCancel() {
        var preview = grpc.preview(PreviewRequest.newBuilder().setTarget(ALL).build());
        assertThat(preview.getCount()).isEqualTo(12);
        assertThat(preview.getDefaultMaxTargets()).isEqualTo(1_000);
        var request = PublishRequest.newBuilder()
                .setMsgId("g1")
                .setTarget(ALL)
                .setType("RESPONSE_ACTION")
                .setPayload(ByteString.copyFromUtf8("isolate"))
                .setPreviewToken(preview.getPreviewToken())
                .build();
        var published = grpc.publish(request);
        assertThat(published.getOutcome()).isEqualTo("ACCEPTED");
        assertThat(published.getResolved()).isEqualTo(12);
        assertThat(grpc.publish(request).getOutcome()).isEqualTo("SAME");
        assertThat(CommandLog.entries("acme", "g1")).hasSize(12);

        var first = grpc.listTargets(
                ListTargetsRequest.newBuilder().setMsgId("g1").setPageSize(8).build());
        var second = grpc.listTargets(ListTargetsRequest.newBuilder()
                .setMsgId("g1")
                .setPageSize(8)
                .setPageToken(first.getNextPageToken())
                .build());
        assertThat(first.getTargetsList()).hasSize(8);
        assertThat(second.getTargetsList())
                .hasSize(4)
                .extracting(TargetReply::getState)
                .containsOnly("planned");
        assertThat(second.getNextPageToken()).isEmpty();

        var cancelled = grpc.cancelMessage(message("g1"));
        assertThat(cancelled.getCancelRequested()).isTrue();
        var read = grpc.getMessage(message("g1"));
        assertThat(read).isEqualTo(cancelled);
        var rest = fanout.get(token, "/v1/messages/g1").ok();
        assertThat(read.getAllFields().keySet().stream().map(field -> field.getName()))
                .allMatch(name -> rest.body().has(name));
        assertThat(read.getRevision()).isEqualTo(rest.number("revision"));
        assertThat(read.getExpiresAtUs()).isEqualTo(rest.number("expires_at_us"));
        assertThat(read.getPlanned()).isEqualTo(rest.number("planned")).isEqualTo(12);
        assertThat(read.getTarget()).isEqualTo(ALL);
    }

    @Test
    void shouldListAndRegisterSensors() {
        var page = grpc.listSensors(ListSensorsRequest.newBuilder()
                .setSelector("tag.suite = grpc and os.version >= 4.10")
                .build());
        assertThat(page.getCount()).isEqualTo(2);
        assertThat(page.getSensors(0).getSensorId()).isEqualTo("grpc-10");
        assertThat(page.getSensors(0).getTagsMap()).containsEntry("n", "10");
        assertThat(grpc.registerSensor(RegisterSensorRequest.newBuilder()
                                .setSensorId("grpc-0")
                                .build())
                        .getSensorId())
                .isEqualTo("grpc-0");
    }

    @Test
    void shouldKeepSegments() {
        var put = grpc.putSegment(PutSegmentRequest.newBuilder()
                .setName("grpc")
                .addAllSensorIds(List.of("grpc-2", "grpc-1"))
                .build());
        var get = grpc.getSegment(GetSegmentRequest.newBuilder().setName("grpc").build());
        assertThat(get.getVersion()).isEqualTo(put.getVersion());
        assertThat(get.getSensorIdsList()).containsExactly("grpc-1", "grpc-2");
        grpc.deleteSegment(DeleteSegmentRequest.newBuilder().setName("grpc").build());
        refused(
                () -> grpc.getSegment(
                        GetSegmentRequest.newBuilder().setName("grpc").build()),
                Status.Code.NOT_FOUND,
                "SEGMENT_NOT_FOUND");
    }

    @Test
    void shouldRefuseWithARichStatus() {
        grpc.publish(publish(m -> m.setMsgId("g2")));
        double before = fanout.refusals("grpc", "THRESHOLD");
        refused(
                () -> grpc.publish(publish(m -> m.setMsgId("g3").setMaxTargets(11))),
                Status.Code.FAILED_PRECONDITION,
                "THRESHOLD");
        assertThat(fanout.refusals("grpc", "THRESHOLD") - before).isEqualTo(1);
        refused(
                () -> grpc.publish(publish(m -> m.setMsgId("g2").setPriority(3))),
                Status.Code.ALREADY_EXISTS,
                "MSG_ID_CONFLICT");
        refused(() -> grpc.publish(publish(m -> m.setMsgId("a b"))), Status.Code.INVALID_ARGUMENT, "BAD_MSG_ID");
        refused(() -> grpc.publish(publish(m -> m.setTtlMs(0))), Status.Code.INVALID_ARGUMENT, "BAD_TTL");
        refused(() -> grpc.publish(publish(m -> m.setPriority(-1))), Status.Code.INVALID_ARGUMENT, "BAD_FIELD");
        refused(() -> grpc.publish(publish(m -> m.setMaxTargets(0))), Status.Code.INVALID_ARGUMENT, "BAD_FIELD");
        refused(() -> grpc.publish(publish(m -> m.clearTarget())), Status.Code.INVALID_ARGUMENT, "EMPTY_SELECTOR");
        refused(() -> grpc.publish(publish(m -> m.clearPayload())), Status.Code.INVALID_ARGUMENT, "MISSING_PAYLOAD");
        refused(() -> grpc.publish(publish(m -> m.setType("?"))), Status.Code.INVALID_ARGUMENT, "UNKNOWN_TYPE");
        refused(
                () -> grpc.publish(publish(m -> m.setPayload(ByteString.copyFrom(new byte[1 << 20])))),
                Status.Code.INVALID_ARGUMENT,
                "PAYLOAD_TOO_LARGE");
        refused(() -> grpc.getMessage(message("none")), Status.Code.NOT_FOUND, "UNKNOWN_MESSAGE");
        refused(() -> grpc.cancelMessage(message("none")), Status.Code.NOT_FOUND, "UNKNOWN_MESSAGE");
        refused(
                () -> grpc.listTargets(ListTargetsRequest.newBuilder()
                        .setMsgId("g2")
                        .setPageSize(-1)
                        .build()),
                Status.Code.INVALID_ARGUMENT,
                "BAD_PAGE");
        refused(
                () -> grpc.registerSensor(
                        RegisterSensorRequest.newBuilder().setSensorId("*").build()),
                Status.Code.INVALID_ARGUMENT,
                "BAD_SENSOR_ID");
        ErrorInfo syntax = refused(
                () -> grpc.listSensors(ListSensorsRequest.newBuilder()
                        .setSelector("connected and or")
                        .build()),
                Status.Code.INVALID_ARGUMENT,
                "SELECTOR_SYNTAX");
        assertThat(syntax.getMetadataMap()).containsEntry("position", "15");
        refused(
                () -> grpc.listSensors(
                        ListSensorsRequest.newBuilder().setSelector("").build()),
                Status.Code.INVALID_ARGUMENT,
                "EMPTY_SELECTOR");
    }

    @Test
    void shouldAskForATokenWithTheRightScopes() {
        refused(() -> fanout.grpc(null).getMessage(message("g2")), Status.Code.UNAUTHENTICATED, "UNAUTHENTICATED");
        refused(() -> fanout.grpc("x").getMessage(message("g2")), Status.Code.UNAUTHENTICATED, "UNAUTHENTICATED");
        refused(
                () -> fanout.grpc(new Tokens().all("acme")).getMessage(message("g2")),
                Status.Code.UNAUTHENTICATED,
                "UNAUTHENTICATED");
        var reader = fanout.grpc(fanout.tokens.scoped("commands:read", "acme"));
        refused(() -> reader.publish(publish(m -> {})), Status.Code.PERMISSION_DENIED, "MISSING_SCOPE");
        var publisher = fanout.grpc(fanout.tokens.scoped("commands:publish", "acme"));
        refused(
                () -> publisher.publish(publish(m -> m.setType("RESPONSE_ACTION"))),
                Status.Code.PERMISSION_DENIED,
                "MISSING_SCOPE");
        refused(() -> publisher.getMessage(message("g2")), Status.Code.PERMISSION_DENIED, "MISSING_SCOPE");
    }

    @Test
    void shouldTellProbesAndToolsWithoutAToken() throws Exception {
        assertThat(HealthGrpc.newBlockingStub(fanout.channel())
                        .check(HealthCheckRequest.getDefaultInstance())
                        .getStatus())
                .isEqualTo(ServingStatus.SERVING);
        var listed = new CompletableFuture<List<String>>();
        StreamObserver<ServerReflectionRequest> ask = ServerReflectionGrpc.newStub(fanout.channel())
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                        listed.complete(response.getListServicesResponse().getServiceList().stream()
                                .map(ServiceResponse::getName)
                                .toList());
                    }

                    @Override
                    public void onError(Throwable failure) {
                        listed.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {}
                });
        ask.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        assertThat(listed.get(10, TimeUnit.SECONDS))
                .contains("sallyport.publish.v1.Publishing", "grpc.health.v1.Health");
        ask.onCompleted();
    }

    private static MessageRequest message(String msgId) {
        return MessageRequest.newBuilder().setMsgId(msgId).build();
    }

    private static PublishRequest publish(Consumer<PublishRequest.Builder> change) {
        var request = PublishRequest.newBuilder()
                .setMsgId("g9")
                .setTarget(ALL)
                .setType("CONFIG_UPDATE")
                .setPayload(ByteString.EMPTY);
        change.accept(request);
        return request.build();
    }

    static ErrorInfo refused(ThrowingCallable call, Status.Code status, String code) {
        var info = new ErrorInfo[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(StatusRuntimeException.class, failure -> {
            assertThat(failure.getStatus().getCode()).isEqualTo(status);
            try {
                info[0] = StatusProto.fromThrowable(failure).getDetails(0).unpack(ErrorInfo.class);
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
            assertThat(info[0].getReason()).isEqualTo(code);
            assertThat(info[0].getDomain()).isEqualTo("sallyport");
        });
        return info[0];
    }
}
