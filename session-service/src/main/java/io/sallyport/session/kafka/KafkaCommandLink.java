package io.sallyport.session.kafka;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.hash.Blake3;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.CommandLink;
import io.sallyport.tracing.CommandTraces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes for this node's sessions from its partition of `session-push`; answers and host metadata to their topics. A
 * result that cannot be written is only counted: the router repeats the message, and the sensor answers it again.
 */
public final class KafkaCommandLink implements CommandLink, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaCommandLink.class);
    private static final int MAX_REMEMBERED = 200_000;
    /** Well below the time in which a SENSOR_START is answered: telemetry does not depend on commands. */
    private static final long LISTEN_TIMEOUT_MS = 1_000;

    private final ControlProducer producer;
    private final CommandTraces traces;
    private final int sensorPartitions;
    private final TopicTail pushes;
    private final List<Receiver> receivers = new CopyOnWriteArrayList<>();
    /** What was last written of a sensor's host, as a hash: most starts change nothing. */
    private final Cache<SensorKey, ByteBuffer> written =
            Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();

    public KafkaCommandLink(
            String bootstrapServers, int node, TopicSizing sizing, ControlProducer producer, CommandTraces traces) {
        this.producer = producer;
        this.traces = traces;
        this.sensorPartitions = Topics.COMMAND_RESULTS.partitions(sizing);
        this.pushes = new TopicTail(
                // The router's transaction ends later than its push leaves. One that is undone is pushed again, and the
                // sensor acknowledges a repeat without applying it.
                TailSource.of(bootstrapServers, "session-push-" + node, List.of(Topics.SESSION_PUSH.name()))
                        .atEndOf(node)
                        .uncommitted(),
                TopicTail.Sink.each(this::pushed));
    }

    public void start() {
        pushes.start();
    }

    /** Whether pushes of this node's sessions are being read. */
    public boolean isReady() {
        return pushes.isLoaded();
    }

    @Override
    public void result(SensorKey sensor, CommandResult result) {
        producer.send(Topics.COMMAND_RESULTS, Slots.partition(sensor, sensorPartitions), sensor.topicKey(), result);
    }

    @Override
    public void metadata(SensorKey sensor, EndpointMetadata metadata) {
        ByteBuffer hash = hash(metadata.getHost());
        if (hash.equals(written.getIfPresent(sensor))) {
            return;
        }
        written.put(sensor, hash);
        String key = sensor.topicKey() + "/" + Long.toUnsignedString(metadata.getVersion());
        producer.send(Topics.ENDPOINT_METADATA, Slots.partition(sensor, sensorPartitions), key, metadata)
                .whenComplete((sent, failure) -> {
                    if (failure != null) {
                        // The next start writes it.
                        written.asMap().remove(sensor, hash);
                    }
                });
    }

    @Override
    public void handedOver(SessionPush push, long nowUs) {
        MessageKey.of(push.getCustomerId(), push.getMessage().getMsgId())
                .ifPresent(message -> traces.handedOver(message, push.getSensorId(), push.getPushedAtUs(), nowUs));
    }

    @Override
    public void onPush(Receiver receiver) {
        receivers.add(receiver);
    }

    @Override
    public CompletionStage<Void> listening() {
        CompletableFuture<Void> reached = pushes.loaded();
        return reached.isDone()
                ? reached
                : reached.copy().completeOnTimeout(null, LISTEN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        pushes.close();
    }

    private void pushed(ConsumerRecord<byte[], byte[]> record) {
        try {
            SessionPush push = SessionPush.parseFrom(record.value());
            receivers.forEach(receiver -> receiver.push(push));
        } catch (InvalidProtocolBufferException e) {
            LOG.warn("unreadable push at partition {} offset {}", record.partition(), record.offset());
        }
    }

    /** Over a deterministic encoding: the order of a map's entries is no difference. */
    private static ByteBuffer hash(HostMetadata host) {
        var bytes = new byte[host.getSerializedSize()];
        var out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization();
        try {
            host.writeTo(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(Blake3.hash(bytes, 16));
    }
}
