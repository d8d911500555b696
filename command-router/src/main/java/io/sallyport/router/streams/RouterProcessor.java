package io.sallyport.router.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.streams.Alarm;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.router.core.QueueEvent;
import io.sallyport.router.metrics.RouterMeters;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes what comes in and hands it to the task's queues. One instance for each task, on the task's thread. */
final class RouterProcessor implements Processor<byte[], byte[], byte[], Addressed> {
    private static final Logger LOG = LoggerFactory.getLogger(RouterProcessor.class);

    private final TopicSizing sizing;
    private final RouterTopology.Parts parts;
    private final RouterMeters meters;
    private final int partitions;
    private @Nullable ProcessorContext<byte[], Addressed> context;
    private @Nullable TaskQueues queues;
    private @Nullable Alarm alarm;

    RouterProcessor(TopicSizing sizing, RouterTopology.Parts parts) {
        this.sizing = sizing;
        this.parts = parts;
        this.meters = parts.meters();
        this.partitions = Topics.SENSOR_QUEUE.partitions(sizing);
    }

    @Override
    public void init(ProcessorContext<byte[], Addressed> context) {
        this.context = context;
        var stores = new SensorStores(
                context.getStateStore(RouterTopology.SENSORS_STORE),
                context.getStateStore(RouterTopology.SETTLED_STORE));
        int task = context.taskId().partition();
        var counters = new MessageCounters(
                context.getStateStore(RouterTopology.COUNTS_STORE),
                task,
                parts.limits().retentionUs());
        var started = new TaskQueues(
                parts, stores, counters, new Outbox(context, sizing), task, Topics.SESSION_PUSH.partitions(sizing));
        started.load();
        queues = started;
        alarm = new Alarm(context, nowMs -> {
            started.tick(nowMs * 1_000);
            rearm();
        });
        rearm();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        RecordMetadata from = context().recordMetadata().orElseThrow();
        Optional<SensorKey> sensor = record.key() == null
                ? Optional.empty()
                : SensorKey.fromTopicKey(new String(record.key(), StandardCharsets.UTF_8));
        if (sensor.isEmpty()) {
            // A wildcard, a path or a control character is no sensor, and stands for none.
            skip("key", from);
        } else if (Slots.partition(sensor.get(), partitions) != from.partition()) {
            skip("partition", from);
        } else {
            long nowUs = context().currentSystemTimeMs() * 1_000;
            try {
                Optional<QueueEvent> event = decode(from.topic(), record.value());
                if (event.isPresent()) {
                    queues().handle(sensor.get(), event.get(), nowUs);
                    rearm();
                } else {
                    skip("empty", from);
                }
            } catch (InvalidProtocolBufferException e) {
                skip("undecodable", from);
                queues().undecodable(sensor.get(), from.topic() + " " + from.partition() + " " + from.offset(), nowUs);
            }
        }
    }

    private void rearm() {
        long nextUs = queues().nextUs(context().currentSystemTimeMs() * 1_000);
        // Rounded up: a look that comes too early finds nothing.
        Objects.requireNonNull(alarm).at(nextUs == Long.MAX_VALUE ? nextUs : nextUs / 1_000 + 1);
    }

    @Override
    public void close() {
        if (alarm != null) {
            alarm.cancel();
        }
        if (queues != null) {
            queues.close();
        }
    }

    private static Optional<QueueEvent> decode(String topic, byte @Nullable [] value)
            throws InvalidProtocolBufferException {
        if (topic.equals(Topics.SESSIONS.name())) {
            return Optional.of(
                    value == null
                            ? new QueueEvent.SensorRetired()
                            : new QueueEvent.SessionChanged(SessionEntry.parseFrom(value)));
        }
        if (value == null) {
            return Optional.empty();
        }
        return Optional.of(
                topic.equals(Topics.SENSOR_QUEUE.name())
                        ? new QueueEvent.Entered(QueueEntry.parseFrom(value))
                        : new QueueEvent.Answered(CommandResult.parseFrom(value)));
    }

    private void skip(String reason, RecordMetadata from) {
        meters.skipped(reason);
        LOG.warn(
                "skipped a record of {} partition {} offset {}: {}",
                from.topic(),
                from.partition(),
                from.offset(),
                reason);
    }

    private ProcessorContext<byte[], Addressed> context() {
        return Objects.requireNonNull(context, "init comes first");
    }

    private TaskQueues queues() {
        return Objects.requireNonNull(queues, "init comes first");
    }
}
