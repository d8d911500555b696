package io.sallyport.envelope.topic;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.envelope.topic.TopicSpec.Cleanup;
import io.sallyport.envelope.topic.TopicSpec.Key;
import io.sallyport.envelope.topic.TopicSpec.Width;
import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.CellAssignment;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.DeadLetter;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochInput;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SegmentChunk;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.proto.log.v1.ShardMapRecord;
import io.sallyport.proto.log.v1.SnapshotChunk;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.TargetStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The topic catalogue. A one-shot job creates every topic of it before any service starts; a service never creates one,
 * and refuses to start on a missing or different one.
 */
public final class Topics {
    /** A frame, and room for its key, its headers and the stamp with every index of a block dropped. */
    private static final int FRAME_RECORD_BYTES = (1 << 20) + (64 << 10);
    /** Whatever a quarantined frame needs besides itself. */
    private static final int QUARANTINE_RECORD_BYTES = FRAME_RECORD_BYTES + (64 << 10);

    private static final int DEFAULT_RECORD_BYTES = 1 << 20;
    /** Longest time to live of a message. */
    public static final Duration MAX_TTL = Duration.ofDays(30);

    /** Batches as received, SKIPs and epoch openings, each with its admission stamp. Order per sensor is its order. */
    public static final TopicSpec<MessageLite> RAW = new TopicSpec<>(
            "raw",
            Key.SENSOR,
            Optional.empty(),
            Width.SHARDS,
            Cleanup.DELETE,
            RetentionTier.RAW.retention(),
            FRAME_RECORD_BYTES);

    /** What consumers read: each event once, in order per sensor, with the markers that explain what is missing. */
    public static final TopicSpec<StructuredRecord> STRUCTURED = new TopicSpec<>(
            "structured",
            Key.SENSOR,
            Optional.of(StructuredRecord.parser()),
            Width.SHARDS,
            Cleanup.DELETE,
            RetentionTier.WARM.retention(),
            Optional.of(RetentionTier.HOT.retention()),
            DEFAULT_RECORD_BYTES);

    /** The markers alone: the small feed that people and alerts read. */
    public static final TopicSpec<CoverageMarker> COVERAGE =
            deleted("coverage", Key.SENSOR, CoverageMarker.parser(), Width.SHARDS, Duration.ofDays(7));

    /** Original bytes of what could not become an event, with the reason. */
    public static final TopicSpec<Quarantined> QUARANTINE = new TopicSpec<>(
            "quarantine",
            Key.SENSOR,
            Optional.of(Quarantined.parser()),
            Width.SHARDS,
            Cleanup.DELETE,
            Duration.ofDays(7),
            QUARANTINE_RECORD_BYTES);

    /** What consumers of `structured` could not handle: its bytes, where it stands, and why. In the partition it came from. */
    public static final TopicSpec<DeadLetter> DEAD_LETTERS = new TopicSpec<>(
            "dead-letters",
            Key.SENSOR,
            Optional.of(DeadLetter.parser()),
            Width.SHARDS,
            Cleanup.DELETE,
            Duration.ofDays(7),
            DEFAULT_RECORD_BYTES + (64 << 10));

    /** Claims and session reports of the gateway nodes, for the epoch authority. */
    public static final TopicSpec<EpochInput> EPOCH_CLAIMS =
            deleted("epoch-claims", Key.SENSOR, EpochInput.parser(), Width.SENSORS, Duration.ofDays(7));

    /** The authority's answers; the partition is the asking node's ordinal. */
    public static final TopicSpec<EpochAnswer> EPOCH_ANSWERS =
            deleted("epoch-answers", Key.SENSOR, EpochAnswer.parser(), Width.NODES, Duration.ofMinutes(10));

    /** The authority's table: newest epoch and session of each sensor. */
    public static final TopicSpec<EpochState> EPOCH_TABLE =
            compacted("epoch-table", Key.SENSOR, EpochState.parser(), Width.SENSORS);

    /** The session directory. */
    public static final TopicSpec<SessionEntry> SESSIONS =
            compacted("sessions", Key.SENSOR, SessionEntry.parser(), Width.SENSORS);

    /** Messages for sensors; the partition is the ordinal of the node that holds the session. */
    public static final TopicSpec<SessionPush> SESSION_PUSH = new TopicSpec<>(
            "session-push",
            Key.SENSOR,
            Optional.of(SessionPush.parser()),
            Width.NODES,
            Cleanup.DELETE,
            Duration.ofMinutes(10),
            FRAME_RECORD_BYTES);

    /** What sensors answered to messages. */
    public static final TopicSpec<CommandResult> COMMAND_RESULTS =
            deleted("command-results", Key.SENSOR, CommandResult.parser(), Width.SENSORS, Duration.ofDays(1));

    /** What sensors say of their hosts, one version per start that changed it. */
    public static final TopicSpec<EndpointMetadata> ENDPOINT_METADATA =
            compacted("endpoint-metadata", Key.SENSOR_VERSION, EndpointMetadata.parser(), Width.SENSORS);

    /** The customers of this cell. */
    public static final TopicSpec<Customer> CUSTOMERS =
            compacted("customers", Key.CUSTOMER, Customer.parser(), Width.SINGLE);

    /** The event types that the normalizer knows. */
    public static final TopicSpec<EventType> EVENT_TYPES =
            compacted("event-types", Key.NUMBER, EventType.parser(), Width.SINGLE);

    /** Revisions of the shard map. */
    public static final TopicSpec<ShardMapRecord> SHARD_MAP =
            compacted("shard-map", Key.NUMBER, ShardMapRecord.parser(), Width.SINGLE);

    /** Customers that live in another cell. */
    public static final TopicSpec<CellAssignment> CELLS =
            compacted("cells", Key.CUSTOMER, CellAssignment.parser(), Width.SINGLE);

    /** Messages and cancellations as accepted from publishers, with their principal. The offset is the revision. */
    public static final TopicSpec<IngressRecord> INGRESS = new TopicSpec<>(
            "ingress",
            Key.CUSTOMER,
            Optional.of(IngressRecord.parser()),
            Width.SENSORS,
            Cleanup.DELETE,
            Duration.ofDays(30),
            FRAME_RECORD_BYTES);

    /** The decider's table: what became of each msg_id. */
    public static final TopicSpec<MessageDecision> MESSAGE_DECISIONS =
            compacted("message-decisions", Key.MESSAGE, MessageDecision.parser(), Width.SENSORS);

    /** Payloads, once each. Outlives the longest time to live. */
    public static final TopicSpec<MessageBody> MESSAGE_BODIES = new TopicSpec<>(
            "message-bodies",
            Key.MESSAGE,
            Optional.of(MessageBody.parser()),
            Width.SENSORS,
            Cleanup.DELETE,
            MAX_TTL.plusDays(1),
            FRAME_RECORD_BYTES);

    /** Target sets, resolved once, in chunks. */
    public static final TopicSpec<PlanChunk> FANOUT_PLANS =
            deleted("fanout-plans", Key.MESSAGE, PlanChunk.parser(), Width.SENSORS, MAX_TTL.plusDays(1));

    /** Entries of the per-sensor queues. */
    public static final TopicSpec<QueueEntry> SENSOR_QUEUE =
            deleted("sensor-queue", Key.SENSOR, QueueEntry.parser(), Width.SENSORS, MAX_TTL.plusDays(1));

    /** Absolute counts of each router task for each message. */
    public static final TopicSpec<StatusPartial> MESSAGE_STATUS =
            compacted("message-status", Key.MESSAGE_TASK, StatusPartial.parser(), Width.SENSORS);

    /** State of each target of each message. */
    public static final TopicSpec<TargetStatus> TARGET_STATUS =
            compacted("target-status", Key.MESSAGE_SENSOR, TargetStatus.parser(), Width.SENSORS);

    /** Stored membership lists, versioned and chunked. */
    public static final TopicSpec<SegmentChunk> SEGMENTS =
            compacted("segments", Key.SEGMENT_CHUNK, SegmentChunk.parser(), Width.SINGLE);

    /** The message types that publishers may use. */
    public static final TopicSpec<MessageTypeSpec> MESSAGE_TYPES =
            compacted("message-types", Key.NUMBER, MessageTypeSpec.parser(), Width.SINGLE);

    /** A sign of life of each gateway node. */
    public static final TopicSpec<NodeStats> NODE_STATS =
            compacted("node-stats", Key.NUMBER, NodeStats.parser(), Width.SINGLE);

    /**
     * Segments of the proof with their leaf hashes, in the partition of their shard. They outlive the export's 90 days: what
     * stands there is checked against them.
     */
    public static final TopicSpec<ProofSegment> PROOF_SEGMENTS =
            deleted("proof-segments", Key.TREE, ProofSegment.parser(), Width.SHARDS, Duration.ofDays(97));

    /** Signed checkpoints over the log trees, as text; the newest is the last. */
    public static final TopicSpec<MessageLite> CHECKPOINTS = new TopicSpec<>(
            "checkpoints",
            Key.CELL,
            Optional.empty(),
            Width.SINGLE,
            Cleanup.DELETE,
            Duration.ofDays(400),
            DEFAULT_RECORD_BYTES);

    /** Who published, cancelled or changed what, for an auditor; nothing else reads it. */
    public static final TopicSpec<AuditRecord> AUDIT =
            deleted("audit", Key.CUSTOMER, AuditRecord.parser(), Width.SENSORS, Duration.ofDays(400));

    /** Key of the records of `audit` that concern the whole cell; no customer can have that name. */
    public static final String AUDIT_OF_CELL = "-";

    /**
     * The dedupe state of each shard, taken again and again, for a replay to start from. One whose next raw record is gone is
     * of no use: so they are kept little longer than `raw`.
     */
    public static final TopicSpec<SnapshotChunk> NORMALIZER_SNAPSHOTS = deleted(
            "normalizer-snapshots",
            Key.NUMBER,
            SnapshotChunk.parser(),
            Width.SHARDS,
            RAW.retention().multipliedBy(2));

    /** Which generation of the normalizer is live, and which is on its way: one record. */
    public static final TopicSpec<Generations> GENERATIONS =
            compacted("generations", Key.NUMBER, Generations.parser(), Width.SINGLE);

    private static final List<TopicSpec<?>> ALL = List.of(
            RAW,
            STRUCTURED,
            COVERAGE,
            QUARANTINE,
            DEAD_LETTERS,
            EPOCH_CLAIMS,
            EPOCH_ANSWERS,
            EPOCH_TABLE,
            SESSIONS,
            SESSION_PUSH,
            COMMAND_RESULTS,
            ENDPOINT_METADATA,
            CUSTOMERS,
            EVENT_TYPES,
            SHARD_MAP,
            CELLS,
            INGRESS,
            MESSAGE_DECISIONS,
            MESSAGE_BODIES,
            FANOUT_PLANS,
            SENSOR_QUEUE,
            MESSAGE_STATUS,
            TARGET_STATUS,
            SEGMENTS,
            MESSAGE_TYPES,
            NODE_STATS,
            PROOF_SEGMENTS,
            CHECKPOINTS,
            AUDIT,
            NORMALIZER_SNAPSHOTS,
            GENERATIONS);

    private Topics() {}

    public static List<TopicSpec<?>> all() {
        return ALL;
    }

    public static Optional<TopicSpec<?>> named(String name) {
        for (TopicSpec<?> topic : ALL) {
            if (topic.name().equals(name)) {
                return Optional.of(topic);
            }
        }
        return Optional.empty();
    }

    private static <V extends MessageLite> TopicSpec<V> deleted(
            String name, Key key, Parser<V> value, Width width, Duration retention) {
        return new TopicSpec<>(name, key, Optional.of(value), width, Cleanup.DELETE, retention, DEFAULT_RECORD_BYTES);
    }

    private static <V extends MessageLite> TopicSpec<V> compacted(String name, Key key, Parser<V> value, Width width) {
        return new TopicSpec<>(
                name, key, Optional.of(value), width, Cleanup.COMPACT, Duration.ZERO, DEFAULT_RECORD_BYTES);
    }
}
