package io.sallyport.router.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.NodeStats;
import io.sallyport.router.core.Control;
import io.sallyport.router.core.Session;
import io.sallyport.router.metrics.RouterMeters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Message types and the nodes' signs of life, followed in their topics. While the broker is away, the last view stays. */
public final class KafkaControl implements Control, AutoCloseable {
    private static final long CATCH_UP_INTERVAL_MS = 1_000;
    private static final long CATCH_UP_TIMEOUT_MS = 2_000;
    /** A clock that was set back may mint a session id below its node's start. */
    private static final long CLOCK_STEP_MS = 60_000;

    private final long nodeTimeoutMs;
    private final RouterMeters meters;
    private final LongSupplier clockMs;
    private final Map<Integer, MessageTypeSpec> types = new ConcurrentHashMap<>();
    private final Map<Integer, Life> nodes = new ConcurrentHashMap<>();
    private final AtomicLong caughtUpMs = new AtomicLong();
    private final TopicTail typeReader;
    private final TopicTail nodeReader;

    /**
     * @param seenMs own clock at the last sign of life
     * @param startedMs the node's clock at its start; 0 = not told
     */
    private record Life(long seenMs, long startedMs) {}

    /**
     * @param nodeTimeout a node without a record for so long is dead
     * @param clockMs wall clock
     */
    public KafkaControl(String bootstrapServers, Duration nodeTimeout, RouterMeters meters, LongSupplier clockMs) {
        this.nodeTimeoutMs = nodeTimeout.toMillis();
        this.meters = meters;
        this.clockMs = clockMs;
        this.typeReader = new TopicTail(
                TailSource.of(bootstrapServers, "router-message-types", List.of(Topics.MESSAGE_TYPES.name()))
                        .quick(),
                (records, next) -> readTypes(records));
        this.nodeReader = new TopicTail(
                TailSource.of(bootstrapServers, "router-node-stats", List.of(Topics.NODE_STATS.name())),
                (records, next) -> readNodes(records));
    }

    public void start() {
        typeReader.start();
        nodeReader.start();
    }

    @Override
    public boolean isLoaded() {
        return typeReader.isLoaded() && nodeReader.isLoaded();
    }

    @Override
    public Optional<MessageTypeSpec> type(int number) {
        MessageTypeSpec known = types.get(number);
        if (known == null && catchUp()) {
            known = types.get(number);
        }
        return Optional.ofNullable(known);
    }

    @Override
    public boolean isNodeAlive(Session session) {
        Life life = nodes.get(session.node());
        // A node that never gave a sign of life is taken at the directory's word.
        return life == null
                || (clockMs.getAsLong() - life.seenMs() < nodeTimeoutMs
                        && SessionId.ms(session.sessionId()) >= life.startedMs() - CLOCK_STEP_MS);
    }

    @Override
    public void close() {
        typeReader.close();
        nodeReader.close();
    }

    private boolean catchUp() {
        long nowMs = clockMs.getAsLong();
        long lastMs = caughtUpMs.get();
        if (nowMs - lastMs < CATCH_UP_INTERVAL_MS || !caughtUpMs.compareAndSet(lastMs, nowMs)) {
            return false;
        }
        try {
            typeReader.catchUp().get(CATCH_UP_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            meters.skipped("registry-not-reached");
            return false;
        }
    }

    private void readTypes(List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                if (record.value() != null) {
                    MessageTypeSpec type = MessageTypeSpec.parseFrom(record.value());
                    types.put(type.getNumber(), type);
                }
            } catch (InvalidProtocolBufferException e) {
                meters.skipped("type-undecodable");
            }
        }
    }

    private void readNodes(List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                if (record.value() != null) {
                    NodeStats node = NodeStats.parseFrom(record.value());
                    // The broker's time of the append: what was already old when it was read is no sign of life.
                    long seenMs = Math.min(clockMs.getAsLong(), record.timestamp());
                    nodes.put(node.getNode(), new Life(seenMs, node.getStartedAtUs() / 1_000));
                }
            } catch (InvalidProtocolBufferException e) {
                meters.skipped("node-undecodable");
            }
        }
    }
}
