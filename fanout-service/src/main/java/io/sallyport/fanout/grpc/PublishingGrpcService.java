package io.sallyport.fanout.grpc;

import io.grpc.stub.StreamObserver;
import io.sallyport.fanout.auth.PublisherTokens;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.MessageDesk;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.publishing.SegmentDesk;
import io.sallyport.fanout.publishing.SensorDesk;
import io.sallyport.fanout.publishing.StatusDesk;
import io.sallyport.proto.publish.v1.DeleteSegmentRequest;
import io.sallyport.proto.publish.v1.GetSegmentRequest;
import io.sallyport.proto.publish.v1.ListSensorsReply;
import io.sallyport.proto.publish.v1.ListSensorsRequest;
import io.sallyport.proto.publish.v1.ListTargetsReply;
import io.sallyport.proto.publish.v1.ListTargetsRequest;
import io.sallyport.proto.publish.v1.MessageReply;
import io.sallyport.proto.publish.v1.MessageRequest;
import io.sallyport.proto.publish.v1.PreviewReply;
import io.sallyport.proto.publish.v1.PreviewRequest;
import io.sallyport.proto.publish.v1.PublishReply;
import io.sallyport.proto.publish.v1.PublishRequest;
import io.sallyport.proto.publish.v1.PublishingGrpc;
import io.sallyport.proto.publish.v1.PutSegmentRequest;
import io.sallyport.proto.publish.v1.RegisterSensorReply;
import io.sallyport.proto.publish.v1.RegisterSensorRequest;
import io.sallyport.proto.publish.v1.SegmentReply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.core.context.SecurityContextHolder;

/** The gRPC edge: reads a request, asks the same desks as the HTTP edge, writes the answer. */
public final class PublishingGrpcService extends PublishingGrpc.PublishingImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(PublishingGrpcService.class);

    private final MessageDesk messages;
    private final StatusDesk status;
    private final SensorDesk sensors;
    private final SegmentDesk segments;
    private final Refusals refusals;

    public PublishingGrpcService(
            MessageDesk messages, StatusDesk status, SensorDesk sensors, SegmentDesk segments, Refusals refusals) {
        this.messages = messages;
        this.status = status;
        this.sensors = sensors;
        this.segments = segments;
        this.refusals = refusals;
    }

    @Override
    public void publish(PublishRequest request, StreamObserver<PublishReply> reply) {
        answer(messages.publish(caller(), Requests.draft(request)), GrpcReplies::published, reply);
    }

    @Override
    public void preview(PreviewRequest request, StreamObserver<PreviewReply> reply) {
        answer(
                messages.preview(caller(), request.getCustomerId(), Requests.draft(request.getTarget())),
                GrpcReplies::previewed,
                reply);
    }

    @Override
    public void getMessage(MessageRequest request, StreamObserver<MessageReply> reply) {
        answer(status.message(caller(), request.getCustomerId(), request.getMsgId()), GrpcReplies::message, reply);
    }

    @Override
    public void listTargets(ListTargetsRequest request, StreamObserver<ListTargetsReply> reply) {
        answer(
                status.targets(
                        caller(),
                        request.getCustomerId(),
                        request.getMsgId(),
                        request.getPageSize(),
                        request.getPageToken()),
                GrpcReplies::targets,
                reply);
    }

    @Override
    public void cancelMessage(MessageRequest request, StreamObserver<MessageReply> reply) {
        answer(
                messages.cancel(caller(), request.getCustomerId(), request.getMsgId()),
                decision -> GrpcReplies.message(status.view(decision)),
                reply);
    }

    @Override
    public void listSensors(ListSensorsRequest request, StreamObserver<ListSensorsReply> reply) {
        answer(
                sensors.list(
                        caller(),
                        request.getCustomerId(),
                        request.hasSelector() ? Optional.of(request.getSelector()) : Optional.empty(),
                        request.getPageSize(),
                        request.getPageToken()),
                GrpcReplies::sensors,
                reply);
    }

    @Override
    public void registerSensor(RegisterSensorRequest request, StreamObserver<RegisterSensorReply> reply) {
        answer(
                sensors.register(caller(), request.getCustomerId(), request.getSensorId()),
                sensor -> RegisterSensorReply.newBuilder()
                        .setCustomerId(sensor.customerId())
                        .setSensorId(sensor.sensorId())
                        .build(),
                reply);
    }

    @Override
    public void putSegment(PutSegmentRequest request, StreamObserver<SegmentReply> reply) {
        answer(
                segments.put(caller(), request.getCustomerId(), request.getName(), request.getSensorIdsList()),
                GrpcReplies::segment,
                reply);
    }

    @Override
    public void getSegment(GetSegmentRequest request, StreamObserver<SegmentReply> reply) {
        answer(
                segments.get(
                        caller(),
                        request.getCustomerId(),
                        request.getName(),
                        request.getPageSize(),
                        request.getPageToken()),
                GrpcReplies::segment,
                reply);
    }

    @Override
    public void deleteSegment(DeleteSegmentRequest request, StreamObserver<SegmentReply> reply) {
        answer(segments.delete(caller(), request.getCustomerId(), request.getName()), GrpcReplies::segment, reply);
    }

    private static Publisher caller() {
        var authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null) {
            throw new IllegalStateException("a call has passed authentication without one");
        }
        return PublisherTokens.publisher(authentication);
    }

    private <T, R> void answer(Answer<T> answer, Function<T, R> toReply, StreamObserver<R> reply) {
        answer(CompletableFuture.completedFuture(answer), toReply, reply);
    }

    private <T, R> void answer(CompletableFuture<Answer<T>> pending, Function<T, R> toReply, StreamObserver<R> reply) {
        // The reply is made before the call is answered: a fault in making it must end the call too.
        pending.thenApply(answer -> answer.map(toReply)).whenComplete((answer, failure) -> {
            if (failure != null) {
                LOG.error("a call failed", failure);
                refuse(ErrorCode.INTERNAL.because("see the log of this node"), reply);
            } else if (answer instanceof Answer.Given<R> given) {
                reply.onNext(given.value());
                reply.onCompleted();
            } else {
                refuse(((Answer.Refused<R>) answer).refusal(), reply);
            }
        });
    }

    private void refuse(Refusal refusal, StreamObserver<?> reply) {
        refusals.count("grpc", refusal);
        reply.onError(GrpcErrors.of(refusal));
    }
}
