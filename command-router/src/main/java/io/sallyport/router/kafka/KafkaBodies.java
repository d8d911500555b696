package io.sallyport.router.kafka;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.MessageBody;
import io.sallyport.router.core.AlertKind;
import io.sallyport.router.core.Bodies;
import io.sallyport.router.core.BodyStore;
import io.sallyport.router.metrics.RouterMeters;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Follows `message-bodies` into the local store. Every node has all of them: any sensor may need any. */
public final class KafkaBodies implements Bodies, AutoCloseable {
    private final BodyStore store;
    private final RouterMeters meters;
    private final TopicTail reader;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    public KafkaBodies(String bootstrapServers, BodyStore store, RouterMeters meters) {
        this.store = store;
        this.meters = meters;
        this.reader = new TopicTail(
                TailSource.of(bootstrapServers, "router-message-bodies", List.of(Topics.MESSAGE_BODIES.name())),
                new Kept());
    }

    public void start() {
        reader.start();
    }

    /** Whether the bodies that were there at the start have been read. */
    public boolean isCaughtUp() {
        return reader.isLoaded();
    }

    @Override
    public boolean has(MessageKey message) {
        return store.has(message);
    }

    @Override
    public boolean await(MessageKey message, long timeoutMs) {
        if (store.has(message)) {
            return true;
        }
        long left = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        lock.lock();
        try {
            while (!store.has(message)) {
                if (left <= 0) {
                    return false;
                }
                left = arrived.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<ByteString> payload(MessageKey message) {
        return store.get(message).map(MessageBody::getPayload);
    }

    @Override
    public void close() {
        reader.close();
    }

    private void read(List<ConsumerRecord<byte[], byte[]>> records, Map<Integer, Long> positions) {
        var bodies = new HashMap<MessageKey, MessageBody>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            bodyOf(record).ifPresent(body -> bodies.put(new MessageKey(body.getCustomerId(), body.getMsgId()), body));
        }
        store.put(bodies, positions);
        lock.lock();
        try {
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Bodies and positions lie in one store, so a restart goes on where it was. */
    private final class Kept implements TopicTail.Sink {
        @Override
        public Map<TopicPartition, Long> positions() {
            var positions = new HashMap<TopicPartition, Long>();
            store.positions()
                    .forEach((partition, offset) ->
                            positions.put(new TopicPartition(Topics.MESSAGE_BODIES.name(), partition), offset));
            return positions;
        }

        @Override
        public void apply(List<ConsumerRecord<byte[], byte[]>> records, Map<TopicPartition, Long> next) {
            var positions = new HashMap<Integer, Long>();
            next.forEach((partition, offset) -> positions.put(partition.partition(), offset));
            read(records, positions);
        }
    }

    /** A body that names another tenant or message than its key does is nobody's. */
    private Optional<MessageBody> bodyOf(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null || record.value() == null) {
            meters.skipped("body-empty");
            return Optional.empty();
        }
        try {
            MessageBody body = MessageBody.parseFrom(record.value());
            Optional<MessageKey> key = MessageKey.fromTopicKey(new String(record.key(), StandardCharsets.UTF_8));
            if (key.isPresent()
                    && key.get().customerId().equals(body.getCustomerId())
                    && key.get().msgId().equals(body.getMsgId())) {
                return Optional.of(body);
            }
            meters.skipped("body-identity");
            meters.alert(
                    AlertKind.FORGED_IDENTITY,
                    "a body under the key of another message, partition " + record.partition() + " offset "
                            + record.offset());
        } catch (InvalidProtocolBufferException e) {
            meters.skipped("body-undecodable");
        }
        return Optional.empty();
    }
}
