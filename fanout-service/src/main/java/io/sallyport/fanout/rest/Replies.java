package io.sallyport.fanout.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
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
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;

/** The bodies of answers; their names are those of the gRPC messages. */
final class Replies {
    private Replies() {}

    @Schema(name = "PublishReply")
    record Published(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("msg_id") String msgId,

            @JsonProperty("outcome") @Schema(allowableValues = {"ACCEPTED", "SAME"})
            String outcome,

            @JsonProperty("revision") long revision,
            @JsonProperty("resolved") long resolved,
            @JsonProperty("accepted_at_us") long acceptedAtUs,
            @JsonProperty("expires_at_us") long expiresAtUs,
            @JsonProperty("jitter_window_ms") long jitterWindowMs) {

        static Published of(MessageDecision decision) {
            return new Published(
                    decision.getCustomerId(),
                    decision.getMsgId(),
                    decision.getAnswer().getOutcome() == DecisionOutcome.DECISION_SAME ? "SAME" : "ACCEPTED",
                    decision.getRevision(),
                    decision.getResolved(),
                    decision.getAcceptedAtUs(),
                    decision.getExpiresAtUs(),
                    decision.getJitterWindowMs());
        }
    }

    @Schema(name = "PreviewReply")
    record Previewed(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("count") long count,
            @JsonProperty("sample") List<String> sample,
            @JsonProperty("preview_token") String previewToken,
            @JsonProperty("expires_at_us") long expiresAtUs,
            @JsonProperty("default_max_targets") int defaultMaxTargets) {

        static Previewed of(Preview preview) {
            return new Previewed(
                    preview.customerId(),
                    preview.count(),
                    preview.sample(),
                    preview.token(),
                    preview.expiresAtUs(),
                    preview.defaultMaxTargets());
        }
    }

    @Schema(name = "MessageReply", description = "At every moment resolved is the sum of planned to rejected")
    record Message(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("msg_id") String msgId,
            @JsonProperty("type") String type,
            @JsonProperty("target") TargetBody target,
            @JsonProperty("priority") long priority,
            @JsonProperty("coalesce_key") String coalesceKey,
            @JsonProperty("revision") long revision,
            @JsonProperty("accepted_at_us") long acceptedAtUs,
            @JsonProperty("expires_at_us") long expiresAtUs,
            @JsonProperty("cancel_requested") boolean cancelRequested,
            @JsonProperty("published_by") String publishedBy,
            @JsonProperty("resolved") long resolved,
            @JsonProperty("planned") long planned,
            @JsonProperty("pending") long pending,
            @JsonProperty("in_flight") long inFlight,
            @JsonProperty("acked") long acked,
            @JsonProperty("nacked") long nacked,
            @JsonProperty("expired") long expired,
            @JsonProperty("superseded") long superseded,
            @JsonProperty("evicted") long evicted,
            @JsonProperty("cancelled") long cancelled,
            @JsonProperty("rejected") long rejected,
            @JsonProperty("late_acks") long lateAcks) {

        static Message of(MessageView view) {
            var decision = view.decision();
            var counts = view.counts();
            return new Message(
                    decision.getCustomerId(),
                    decision.getMsgId(),
                    view.typeName(),
                    TargetBody.of(decision.getTarget()),
                    decision.getPriority(),
                    decision.getCoalesceKey(),
                    decision.getRevision(),
                    decision.getAcceptedAtUs(),
                    decision.getExpiresAtUs(),
                    decision.getCancelRevision() != 0,
                    decision.getPrincipal().getSubject(),
                    counts.resolved(),
                    counts.planned(),
                    counts.pending(),
                    counts.inFlight(),
                    counts.acked(),
                    counts.nacked(),
                    counts.expired(),
                    counts.superseded(),
                    counts.evicted(),
                    counts.cancelled(),
                    counts.rejected(),
                    counts.lateAcks());
        }
    }

    @Schema(name = "TargetReply")
    record TargetState(
            @JsonProperty("sensor_id") String sensorId,
            @JsonProperty("state") String state,
            @JsonProperty("late_ack") boolean lateAck,
            @JsonProperty("code") long code,
            @JsonProperty("detail") String detail,
            @JsonProperty("pushes") long pushes,
            @JsonProperty("at_us") long atUs) {

        static TargetState of(TargetStatus status) {
            return new TargetState(
                    status.getSensorId(),
                    TargetStates.name(status.getState()),
                    status.getLateAck(),
                    Integer.toUnsignedLong(status.getCode()),
                    status.getDetail(),
                    Integer.toUnsignedLong(status.getPushes()),
                    status.getAtUs());
        }
    }

    @Schema(name = "TargetList")
    record Targets(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("msg_id") String msgId,
            @JsonProperty("resolved") long resolved,
            @JsonProperty("targets") List<TargetState> targets,
            @JsonProperty("next_page_token") String nextPageToken) {

        static Targets of(TargetPage page) {
            return new Targets(
                    page.customerId(),
                    page.msgId(),
                    page.resolved(),
                    page.targets().stream().map(TargetState::of).toList(),
                    page.nextPageToken());
        }
    }

    @Schema(name = "SensorReply")
    record Sensor(
            @JsonProperty("sensor_id") String sensorId,
            @JsonProperty("connected") boolean connected,
            @JsonProperty("last_seen_us") long lastSeenUs,
            @JsonProperty("hostname") String hostname,
            @JsonProperty("os_family") String osFamily,
            @JsonProperty("os_name") String osName,
            @JsonProperty("os_version") String osVersion,
            @JsonProperty("os_build") String osBuild,
            @JsonProperty("arch") String arch,
            @JsonProperty("device_class") String deviceClass,
            @JsonProperty("agent_version") String agentVersion,
            @JsonProperty("policy") String policy,
            @JsonProperty("config_hash") String configHash,
            @JsonProperty("capabilities") List<String> capabilities,
            @JsonProperty("tags") Map<String, String> tags) {

        static Sensor of(SensorView view) {
            return new Sensor(
                    view.sensorId(),
                    view.connected(),
                    view.lastSeenUs(),
                    view.text(Field.HOSTNAME),
                    view.text(Field.OS_FAMILY),
                    view.text(Field.OS_NAME),
                    view.text(Field.OS_VERSION),
                    view.text(Field.OS_BUILD),
                    view.text(Field.ARCH),
                    view.text(Field.DEVICE_CLASS),
                    view.text(Field.AGENT_VERSION),
                    view.text(Field.POLICY),
                    view.text(Field.CONFIG_HASH),
                    view.capabilities(),
                    view.tags());
        }
    }

    @Schema(name = "SensorList")
    record Sensors(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("count") long count,
            @JsonProperty("sensors") List<Sensor> sensors,
            @JsonProperty("next_page_token") String nextPageToken) {

        static Sensors of(SensorPage page) {
            return new Sensors(
                    page.customerId(),
                    page.count(),
                    page.sensors().stream().map(Sensor::of).toList(),
                    page.nextPageToken());
        }
    }

    @Schema(name = "RegistrationReply")
    record Registered(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("sensor_id") String sensorId) {}

    @Schema(name = "SegmentReply")
    record Segment(
            @JsonProperty("customer_id") String customerId,
            @JsonProperty("name") String name,
            @JsonProperty("version") long version,
            @JsonProperty("count") long count,
            @JsonProperty("sensor_ids") List<String> sensorIds,
            @JsonProperty("next_page_token") String nextPageToken) {

        static Segment of(SegmentView view) {
            return new Segment(
                    view.customerId(),
                    view.name(),
                    view.version(),
                    view.count(),
                    view.sensorIds(),
                    view.nextPageToken());
        }
    }
}
