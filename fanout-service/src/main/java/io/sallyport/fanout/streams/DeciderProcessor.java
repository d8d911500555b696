package io.sallyport.fanout.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.sallyport.edge.streams.Alarm;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.AuditTrail;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.Entries;
import io.sallyport.fanout.core.Freshness;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.Request;
import io.sallyport.fanout.core.Verdict;
import io.sallyport.proto.fanout.v1.ExpansionJob;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.QueueEntry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link Decider} on each request of its partition, and turns plans into entries. Everything that one request
 * causes stands in one transaction, but the entries of a plan of several chunks: those follow chunk by chunk, so that a
 * large message neither holds the others up nor has to fit into one transaction, and a crash repeats whole chunks of
 * which nobody has seen anything.
 */
final class DeciderProcessor implements Processor<String, byte[], String, byte[]> {
    /** While plans wait to become entries, or requests to be decided. */
    private static final long GO_ON_MS = 5;

    /**
     * For so long the sensors of a plan that are connected have the machine to themselves, before those that are away
     * get their entries: nobody waits for theirs.
     */
    private static final long HEAD_START_MS = 1_000;

    private static final Duration SWEEP_EVERY = Duration.ofHours(1);
    /** Chunks that are turned into entries before requests get their turn again. */
    private static final int CHUNKS_AT_ONCE = 4;
    /** How long a message is remembered after its expiry: as long as `ingress` may still hold a repetition of it. */
    private static final long REMEMBERED_US = TimeUnit.DAYS.toMicros(31);

    private final Decider decider;
    private final Freshness freshness;
    private final int ingressPartitions;
    private final DeciderMeters meters;
    private @Nullable Run run;
    private @Nullable Alarm alarm;
    private @Nullable Cancellable sweep;

    DeciderProcessor(Decider decider, Freshness freshness, int ingressPartitions, DeciderMeters meters) {
        this.decider = decider;
        this.freshness = freshness;
        this.ingressPartitions = ingressPartitions;
        this.meters = meters;
    }

    /** What there is once the task has its stores. */
    private record Run(
            ProcessorContext<String, byte[]> context,
            KeyValueStore<String, byte[]> decisions,
            KeyValueStore<String, byte[]> plans,
            Handled handled,
            Backlog backlog,
            Parking parking,
            Sweeper sweeper) {}

    @Override
    public void init(ProcessorContext<String, byte[]> context) {
        KeyValueStore<String, byte[]> decisions = context.getStateStore(DeciderTopology.DECISIONS);
        KeyValueStore<String, byte[]> plans = context.getStateStore(DeciderTopology.PLANS);
        KeyValueStore<String, byte[]> backlog = context.getStateStore(DeciderTopology.BACKLOG);
        KeyValueStore<String, byte[]> parked = context.getStateStore(DeciderTopology.PARKED);
        var started = new Run(
                context,
                decisions,
                plans,
                new Handled(decisions),
                new Backlog(backlog),
                new Parking(parked, freshness),
                new Sweeper(decisions, plans, REMEMBERED_US));
        run = started;
        alarm = new Alarm(context, nowMs -> {
            release(started);
            expandSome(started, nowMs);
            rearm(started);
        });
        rearm(started);
        sweep = context.schedule(
                SWEEP_EVERY,
                PunctuationType.WALL_CLOCK_TIME,
                nowMs -> started.sweeper()
                        .sweep(nowMs * 1_000, key -> forward(started, Topics.MESSAGE_DECISIONS, key, null, nowMs)));
    }

    /** A task that comes back to life would keep what this life has scheduled. */
    @Override
    public void close() {
        if (alarm != null) {
            alarm.cancel();
        }
        if (sweep != null) {
            sweep.cancel();
        }
    }

    @Override
    public void process(Record<String, byte[]> record) {
        Run now = running();
        RecordMetadata metadata = now.context()
                .recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a request without its offset"));
        now.handled().next(metadata, record.timestamp());
        String customer = record.key();
        if (customer == null
                || !SensorKey.isValidId(customer)
                || Slots.customerPartition(customer, ingressPartitions) != metadata.partition()) {
            meters.alert(AlertKind.UNDECODABLE, "ingress " + place(metadata) + " is not where its key belongs");
            return;
        }
        IngressRecord value;
        try {
            value = IngressRecord.parseFrom(record.value() == null ? new byte[0] : record.value());
        } catch (InvalidProtocolBufferException e) {
            meters.alert(AlertKind.UNDECODABLE, "ingress " + place(metadata) + ": " + e.getMessage());
            return;
        }
        var request = new Request(customer, metadata.offset(), record.timestamp() * 1_000, value);
        MessageDecision known = known(now, request);
        Verdict verdict = now.parking().holds(customer) ? null : decide(now, known, request);
        if (verdict == null || isWorthALook(known, request, verdict)) {
            if (now.parking().park(request, record.timestamp())) {
                rearm(now);
                return;
            }
            verdict = decider.overloaded(known, request);
        }
        carryOut(now, request, verdict);
        rearm(now);
    }

    private void rearm(Run now) {
        long workAtMs = now.parking().isEmpty() ? now.backlog().workAtMs() : 0;
        if (workAtMs != Backlog.NEVER) {
            Objects.requireNonNull(alarm).at(Math.max(workAtMs, now.context().currentSystemTimeMs() + GO_ON_MS));
        }
    }

    /** What was parked is decided by what this node knows now, and not parked again. */
    private void release(Run now) {
        now.parking().release(request -> carryOut(now, request, decide(now, known(now, request), request)));
    }

    /** What a request names may just have been written by another node, and a segment just been replaced there. */
    private static boolean isWorthALook(@Nullable MessageDecision known, Request request, Verdict verdict) {
        if (verdict instanceof Verdict.Dropped) {
            return false;
        }
        return known == null && request.record().getPublish().getTarget().hasSegment()
                || verdict instanceof Verdict.Answered answered
                        && Freshness.couldHelp(answered.decision().getAnswer().getCode());
    }

    private Verdict decide(Run now, @Nullable MessageDecision known, Request request) {
        return decider.decide(known, request, now.context().currentSystemTimeMs() * 1_000);
    }

    private void carryOut(Run now, Request request, Verdict verdict) {
        long timestamp = request.appendedAtUs() / 1_000;
        if (verdict instanceof Verdict.Dropped dropped) {
            meters.alert(
                    dropped.crossTenant() ? AlertKind.CROSS_TENANT : AlertKind.UNDECODABLE,
                    "ingress of %s offset %d: %s"
                            .formatted(request.customerId(), request.revision(), dropped.reason()));
        } else if (verdict instanceof Verdict.Answered answered) {
            answer(now, request, answered.decision(), timestamp);
        } else if (verdict instanceof Verdict.Accepted accepted) {
            accept(now, request, accepted, timestamp);
        } else if (verdict instanceof Verdict.Cancelled cancelled) {
            cancel(now, request, cancelled.decision(), timestamp);
        }
    }

    private void answer(Run now, Request request, MessageDecision decision, long timestamp) {
        String key = Keys.message(decision.getCustomerId(), decision.getMsgId());
        forward(now, Topics.MESSAGE_DECISIONS, key, decision, timestamp);
        if (!decision.getAccepted()) {
            // The answer is for whoever waits; no message of that name came to be, so nothing of it stays.
            forward(now, Topics.MESSAGE_DECISIONS, key, null, timestamp);
        }
        decided(now, request, decision, timestamp);
    }

    private void accept(Run now, Request request, Verdict.Accepted accepted, long timestamp) {
        MessageDecision decision = accepted.decision();
        String key = Keys.message(decision.getCustomerId(), decision.getMsgId());
        keep(now, decision);
        forward(now, Topics.MESSAGE_BODIES, key, accepted.body(), timestamp);
        QueueEntry entry =
                accepted.entry().toBuilder().setTraced(meters.isTraced(request)).build();
        int chunks = decision.getChunks();
        boolean atOnce = chunks <= 1 && !now.backlog().isBusy(decision.getCustomerId(), accepted.lane());
        for (int i = 0; i < chunks; i++) {
            var chunk = PlanChunk.newBuilder()
                    .setCustomerId(decision.getCustomerId())
                    .setMsgId(decision.getMsgId())
                    .setRevision(decision.getRevision())
                    .setChunk(i)
                    .setChunks(chunks)
                    .addAllSensorIds(accepted.plan().chunk(i))
                    .setEntry(entry)
                    .build();
            String chunkKey = Keys.chunk(decision.getCustomerId(), decision.getMsgId(), i);
            now.plans().put(chunkKey, chunk.toByteArray());
            forward(now, Topics.FANOUT_PLANS, key, chunk, timestamp);
            if (atOnce) {
                enqueue(now, Entries.of(chunk), timestamp);
            }
        }
        if (!atOnce && chunks > 0) {
            ExpansionJob job = job(decision, 0)
                    .setConnectedChunks(accepted.plan().connectedChunks())
                    .setRestAtMs(
                            accepted.plan().connected() == 0 ? 0 : now.context().currentSystemTimeMs() + HEAD_START_MS)
                    .build();
            now.backlog().expand(job, accepted.lane(), decision.getRevision());
        }
        forward(now, Topics.MESSAGE_DECISIONS, key, decision, timestamp);
        decided(now, request, decision, timestamp);
    }

    private void cancel(Run now, Request request, MessageDecision decision, long timestamp) {
        keep(now, decision);
        if (decision.getChunks() > 0) {
            now.backlog().cancel(job(decision, decision.getCancelRevision()).build(), decision.getCancelRevision());
        }
        forward(
                now,
                Topics.MESSAGE_DECISIONS,
                Keys.message(decision.getCustomerId(), decision.getMsgId()),
                decision,
                timestamp);
        decided(now, request, decision, timestamp);
        expandSome(now, timestamp);
    }

    /** The trail stands in the transaction of what it tells of. */
    private void decided(Run now, Request request, MessageDecision decision, long timestamp) {
        forward(now, Topics.AUDIT, request.customerId(), AuditTrail.decided(request, decision), timestamp);
        meters.decided(request, decision);
    }

    private void expandSome(Run now, long timestamp) {
        for (int i = 0; i < CHUNKS_AT_ONCE; i++) {
            var next = now.backlog().next(now.context().currentSystemTimeMs());
            if (next.isEmpty()) {
                return;
            }
            expandChunk(now, next.get(), timestamp);
        }
    }

    private void expandChunk(Run now, KeyValue<String, ExpansionJob> next, long timestamp) {
        ExpansionJob job = next.value;
        byte[] stored = now.plans().get(Keys.chunk(job.getCustomerId(), job.getMsgId(), job.getNextChunk()));
        // A plan is swept only after its message has expired; of what is left of it nothing can be delivered any more.
        if (stored != null) {
            PlanChunk chunk = chunk(stored);
            enqueue(
                    now,
                    job.getCancelRevision() == 0
                            ? Entries.of(chunk)
                            : Entries.cancelling(chunk, job.getCancelRevision()),
                    timestamp);
        }
        now.backlog()
                .advanced(
                        next.key,
                        job.toBuilder().setNextChunk(job.getNextChunk() + 1).build());
    }

    private void enqueue(Run now, List<QueueEntry> entries, long timestamp) {
        for (QueueEntry entry : entries) {
            forward(
                    now,
                    Topics.SENSOR_QUEUE,
                    new SensorKey(entry.getCustomerId(), entry.getSensorId()).topicKey(),
                    entry,
                    timestamp);
        }
        meters.entries(entries.size());
    }

    private static void keep(Run now, MessageDecision decision) {
        now.decisions()
                .put(
                        Keys.message(decision.getCustomerId(), decision.getMsgId()),
                        decision.toBuilder().clearAnswer().build().toByteArray());
    }

    private static ExpansionJob.Builder job(MessageDecision decision, long cancelRevision) {
        return ExpansionJob.newBuilder()
                .setCustomerId(decision.getCustomerId())
                .setMsgId(decision.getMsgId())
                .setChunks(decision.getChunks())
                .setCancelRevision(cancelRevision);
    }

    private static void forward(Run now, TopicSpec<?> topic, String key, @Nullable MessageLite value, long timestamp) {
        now.context().forward(new Record<>(key, value == null ? null : value.toByteArray(), timestamp), topic.name());
    }

    private Run running() {
        Run now = run;
        if (now == null) {
            throw new IllegalStateException("a record came before its task was there");
        }
        return now;
    }

    private static @Nullable MessageDecision known(Run now, Request request) {
        byte[] stored = now.decisions().get(Keys.message(request.customerId(), Decider.msgId(request)));
        try {
            return stored == null ? null : MessageDecision.parseFrom(stored);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of decisions holds what is no decision", e);
        }
    }

    private static PlanChunk chunk(byte[] stored) {
        try {
            return PlanChunk.parseFrom(stored);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of plans holds what is no chunk", e);
        }
    }

    private static String place(RecordMetadata metadata) {
        return "partition " + metadata.partition() + " offset " + metadata.offset();
    }
}
