package io.sallyport.fanout.grpc;

import io.sallyport.fanout.core.Field;
import io.sallyport.fanout.core.SensorView;
import io.sallyport.fanout.core.TargetStates;
import io.sallyport.fanout.publishing.MessageDesk.Preview;
import io.sallyport.fanout.publishing.SegmentDesk.SegmentView;
import io.sallyport.fanout.publishing.SensorDesk.SensorPage;
import io.sallyport.fanout.publishing.StatusDesk.MessageView;
import io.sallyport.fanout.publishing.StatusDesk.TargetPage;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.TargetStatus;
import io.sallyport.proto.publish.v1.ListSensorsReply;
import io.sallyport.proto.publish.v1.ListTargetsReply;
import io.sallyport.proto.publish.v1.MessageReply;
import io.sallyport.proto.publish.v1.PreviewReply;
import io.sallyport.proto.publish.v1.PublishReply;
import io.sallyport.proto.publish.v1.SegmentReply;
import io.sallyport.proto.publish.v1.SensorReply;
import io.sallyport.proto.publish.v1.Target;
import io.sallyport.proto.publish.v1.TargetReply;

/** Answers of the desks as gRPC messages. */
final class GrpcReplies {
    private GrpcReplies() {}

    static PublishReply published(MessageDecision decision) {
        return PublishReply.newBuilder()
                .setCustomerId(decision.getCustomerId())
                .setMsgId(decision.getMsgId())
                .setOutcome(decision.getAnswer().getOutcome() == DecisionOutcome.DECISION_SAME ? "SAME" : "ACCEPTED")
                .setRevision(decision.getRevision())
                .setResolved(decision.getResolved())
                .setAcceptedAtUs(decision.getAcceptedAtUs())
                .setExpiresAtUs(decision.getExpiresAtUs())
                .setJitterWindowMs(decision.getJitterWindowMs())
                .build();
    }

    static PreviewReply previewed(Preview preview) {
        return PreviewReply.newBuilder()
                .setCustomerId(preview.customerId())
                .setCount(preview.count())
                .addAllSample(preview.sample())
                .setPreviewToken(preview.token())
                .setExpiresAtUs(preview.expiresAtUs())
                .setDefaultMaxTargets(preview.defaultMaxTargets())
                .build();
    }

    static MessageReply message(MessageView view) {
        var decision = view.decision();
        var counts = view.counts();
        return MessageReply.newBuilder()
                .setCustomerId(decision.getCustomerId())
                .setMsgId(decision.getMsgId())
                .setType(view.typeName())
                .setTarget(target(decision.getTarget()))
                .setPriority(decision.getPriority())
                .setCoalesceKey(decision.getCoalesceKey())
                .setRevision(decision.getRevision())
                .setAcceptedAtUs(decision.getAcceptedAtUs())
                .setExpiresAtUs(decision.getExpiresAtUs())
                .setCancelRequested(decision.getCancelRevision() != 0)
                .setPublishedBy(decision.getPrincipal().getSubject())
                .setResolved(counts.resolved())
                .setPlanned(counts.planned())
                .setPending(counts.pending())
                .setInFlight(counts.inFlight())
                .setAcked(counts.acked())
                .setNacked(counts.nacked())
                .setExpired(counts.expired())
                .setSuperseded(counts.superseded())
                .setEvicted(counts.evicted())
                .setCancelled(counts.cancelled())
                .setRejected(counts.rejected())
                .setLateAcks(counts.lateAcks())
                .build();
    }

    static ListTargetsReply targets(TargetPage page) {
        var reply = ListTargetsReply.newBuilder()
                .setCustomerId(page.customerId())
                .setMsgId(page.msgId())
                .setResolved(page.resolved())
                .setNextPageToken(page.nextPageToken());
        for (TargetStatus status : page.targets()) {
            reply.addTargets(TargetReply.newBuilder()
                    .setSensorId(status.getSensorId())
                    .setState(TargetStates.name(status.getState()))
                    .setLateAck(status.getLateAck())
                    .setCode(status.getCode())
                    .setDetail(status.getDetail())
                    .setPushes(status.getPushes())
                    .setAtUs(status.getAtUs()));
        }
        return reply.build();
    }

    static ListSensorsReply sensors(SensorPage page) {
        var reply = ListSensorsReply.newBuilder()
                .setCustomerId(page.customerId())
                .setCount(page.count())
                .setNextPageToken(page.nextPageToken());
        page.sensors().forEach(view -> reply.addSensors(sensor(view)));
        return reply.build();
    }

    static SegmentReply segment(SegmentView view) {
        return SegmentReply.newBuilder()
                .setCustomerId(view.customerId())
                .setName(view.name())
                .setVersion(view.version())
                .setCount(view.count())
                .addAllSensorIds(view.sensorIds())
                .setNextPageToken(view.nextPageToken())
                .build();
    }

    private static SensorReply sensor(SensorView view) {
        return SensorReply.newBuilder()
                .setSensorId(view.sensorId())
                .setConnected(view.connected())
                .setLastSeenUs(view.lastSeenUs())
                .setHostname(view.text(Field.HOSTNAME))
                .setOsFamily(view.text(Field.OS_FAMILY))
                .setOsName(view.text(Field.OS_NAME))
                .setOsVersion(view.text(Field.OS_VERSION))
                .setOsBuild(view.text(Field.OS_BUILD))
                .setArch(view.text(Field.ARCH))
                .setDeviceClass(view.text(Field.DEVICE_CLASS))
                .setAgentVersion(view.text(Field.AGENT_VERSION))
                .setPolicy(view.text(Field.POLICY))
                .setConfigHash(view.text(Field.CONFIG_HASH))
                .addAllCapabilities(view.capabilities())
                .putAllTags(view.tags())
                .build();
    }

    private static Target target(io.sallyport.proto.log.v1.Target target) {
        var reply = Target.newBuilder();
        switch (target.getTargetCase()) {
            case SENSOR_ID -> reply.setSensorId(target.getSensorId());
            case FLEET -> reply.setFleet(target.getFleet());
            case SELECTOR -> reply.setSelector(target.getSelector());
            case SEGMENT -> reply.setSegment(target.getSegment());
            case TARGET_NOT_SET -> {}
        }
        return reply.build();
    }
}
