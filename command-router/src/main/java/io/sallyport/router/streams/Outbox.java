package io.sallyport.router.streams;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetStatus;
import io.sallyport.router.core.Effect;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/** What a task writes: which record, under which key, to which partition. */
final class Outbox {
    private final ProcessorContext<byte[], Addressed> context;
    private final int customerPartitions;
    private final ShardMap shards;

    Outbox(ProcessorContext<byte[], Addressed> context, TopicSizing sizing) {
        this.context = context;
        this.customerPartitions = Topics.MESSAGE_STATUS.partitions(sizing);
        this.shards = ShardMap.initial(Topics.COVERAGE.partitions(sizing));
    }

    /** To the partition of the node that owns the session. */
    void push(SensorKey sensor, Effect.Push effect, ByteString payload) {
        QueueEntry entry = effect.entry().message();
        SessionPush.Builder push = SessionPush.newBuilder()
                .setCustomerId(sensor.customerId())
                .setSensorId(sensor.sensorId())
                .setSessionId(effect.session().sessionId())
                .setRevision(entry.getRevision())
                .setPrincipal(entry.getPrincipal())
                .setMessage(Message.newBuilder()
                        .setMsgId(entry.getMsgId())
                        .setTypeValue(entry.getType())
                        .setPriority(entry.getPriority())
                        .setExpiresAtUs(entry.getExpiresAtUs())
                        .setPayload(payload))
                .setTraced(entry.getTraced())
                .setPushedAtUs(entry.getTraced() ? effect.entry().pushes().lastUs() : 0);
        effect.previous().ifPresent(push::setPreviousRevision);
        send(RouterTopology.PUSH, sensor.topicKey(), effect.session().node(), push.build());
    }

    void target(SensorKey sensor, TargetStatus status) {
        var message = new MessageKey(sensor.customerId(), status.getMsgId());
        send(RouterTopology.TARGETS, message.topicKey(sensor.sensorId()), ofCustomer(sensor.customerId()), status);
    }

    void targetGone(SensorKey sensor, String msgId) {
        var message = new MessageKey(sensor.customerId(), msgId);
        send(RouterTopology.TARGETS, message.topicKey(sensor.sensorId()), ofCustomer(sensor.customerId()), null);
    }

    /** @param partial null where the message is forgotten */
    void counts(MessageKey message, int task, @Nullable StatusPartial partial) {
        send(RouterTopology.STATUS, message.topicKey(task), ofCustomer(message.customerId()), partial);
    }

    void evicted(SensorKey sensor, QueueEntry entry, int epoch, long nowUs) {
        marker(sensor, Reason.QUEUE_EVICTED, "msg_id=" + entry.getMsgId() + " reason=CAP", epoch, nowUs);
    }

    /** @param detail where the record stands */
    void undecodable(SensorKey sensor, String detail, long nowUs) {
        marker(sensor, Reason.UNDECODABLE, detail, 0, nowUs);
    }

    private void marker(SensorKey sensor, Reason reason, String detail, int epoch, long nowUs) {
        CoverageMarker marker = CoverageMarker.newBuilder()
                .setCustomerId(sensor.customerId())
                .setSensorId(sensor.sensorId())
                .setEpoch(epoch)
                .setCount(1)
                .setStage(Stage.STAGE_COMMAND)
                .setReason(reason)
                .setDetail(detail)
                .setAtUs(nowUs)
                .build();
        send(RouterTopology.MARKERS, sensor.topicKey(), shards.shardOf(sensor, nowUs), marker);
    }

    private void send(String sink, String key, int partition, @Nullable MessageLite value) {
        context.forward(
                new Record<>(
                        key.getBytes(StandardCharsets.US_ASCII),
                        new Addressed(partition, value),
                        context.currentSystemTimeMs()),
                sink);
    }

    private int ofCustomer(String customerId) {
        return Slots.customerPartition(customerId, customerPartitions);
    }
}
