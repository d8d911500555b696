package io.sallyport.topics;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.envelope.routing.RoutingEpoch;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.RoutingEpochRecord;
import io.sallyport.proto.log.v1.ShardMapRecord;
import io.sallyport.proto.log.v1.SlotRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes records of control topics: the seeds of a new cell, and later one record for each change. */
public final class ControlSeeds implements AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String by;

    /** What the cell's own tools seed. */
    public ControlSeeds(String bootstrapServers) {
        this(bootstrapServers, "sallyport");
    }

    /** @param by who makes the changes, for the audit trail */
    public ControlSeeds(String bootstrapServers, String by) {
        this.by = by;
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "sallyport-control",
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        30_000,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        10_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** The eleven event types, the four message types and the first shard map. Writing them again changes nothing for a reader. */
    public void seedCell(int shards) throws InterruptedException {
        var pending = new ArrayList<Future<RecordMetadata>>();
        for (EventType type : EventTypes.seeded()) {
            pending.add(send(Topics.EVENT_TYPES, Integer.toString(type.getNumber()), type));
        }
        for (MessageTypeSpec type : MessageTypes.seeded()) {
            pending.add(send(Topics.MESSAGE_TYPES, Integer.toString(type.getNumber()), type));
        }
        ShardMapRecord map = toRecord(ShardMap.initial(shards));
        pending.add(send(Topics.SHARD_MAP, Long.toString(map.getRevision()), map));
        await(pending);
    }

    /** Adds or replaces an event type; durable when it returns, and effective within seconds. */
    public void put(EventType type) throws InterruptedException {
        String number = Integer.toString(type.getNumber());
        // The trail first: rather a trace of a change that failed than a change without one.
        await(List.of(trace("event-type.put", "", number)));
        await(List.of(send(Topics.EVENT_TYPES, number, type)));
    }

    /** Adds or replaces a customer; durable when it returns, and effective within seconds. */
    public void put(Customer customer) throws InterruptedException {
        String id = customer.getCustomerId();
        await(List.of(trace(customer.getSuspended() ? "customer.suspend" : "customer.put", id, id)));
        await(List.of(send(Topics.CUSTOMERS, id, customer)));
    }

    private Future<RecordMetadata> trace(String action, String customerId, String subject) {
        var record = AuditRecord.newBuilder()
                .setAtUs(System.currentTimeMillis() * 1_000)
                .setBy(by)
                .setAction(action)
                .setCustomerId(customerId)
                .setSubject(subject)
                .setOutcome("done")
                .build();
        String key = customerId.isEmpty() ? Topics.AUDIT_OF_CELL : customerId;
        int partitions = producer.partitionsFor(Topics.AUDIT.name()).size();
        return producer.send(new ProducerRecord<>(
                Topics.AUDIT.name(),
                Slots.customerPartition(key, partitions),
                key.getBytes(StandardCharsets.UTF_8),
                record.toByteArray()));
    }

    private Future<RecordMetadata> send(TopicSpec<?> topic, String key, MessageLite value) {
        return producer.send(
                new ProducerRecord<>(topic.name(), 0, key.getBytes(StandardCharsets.UTF_8), value.toByteArray()));
    }

    private static void await(List<Future<RecordMetadata>> pending) throws InterruptedException {
        for (Future<RecordMetadata> future : pending) {
            try {
                future.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the broker did not take a control record", e.getCause());
            }
        }
    }

    private static ShardMapRecord toRecord(ShardMap map) {
        var record = ShardMapRecord.newBuilder().setRevision(map.revision());
        for (RoutingEpoch epoch : map.epochs()) {
            var epochRecord = RoutingEpochRecord.newBuilder()
                    .setRoutingEpoch(epoch.id())
                    .setEffectiveFromUs(epoch.effectiveFromUs());
            for (RoutingEpoch.Range range : epoch.ranges()) {
                epochRecord.addRanges(SlotRange.newBuilder()
                        .setFromSlot(range.fromSlot())
                        .setToSlot(range.toSlot())
                        .setShard(range.shard()));
            }
            record.addEpochs(epochRecord);
        }
        return record.build();
    }

    @Override
    public void close() {
        producer.close();
    }
}
