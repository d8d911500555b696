package io.sallyport.e2e.pipeline;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.broker.CommittedLog;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Everything that stands committed in `structured` of one customer, and what a reader can find wrong with it. */
public final class StructuredLog {
    public final Map<String, List<Envelope>> eventsBySensor = new HashMap<>();
    public final List<CoverageMarker> markers = new ArrayList<>();
    /** Identities that stand more than once, positions out of order: one line each, empty where all is well. */
    public final List<String> faults = new ArrayList<>();

    private StructuredLog() {}

    public long events() {
        return eventsBySensor.values().stream().mapToLong(List::size).sum();
    }

    /** Reads from the beginning to the end that the topic had at the call. */
    public static StructuredLog read(String bootstrapServers, String customer) throws InvalidProtocolBufferException {
        var log = new StructuredLog();
        Set<String> identities = new HashSet<>();
        Map<Integer, Long> positions = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : CommittedLog.read(bootstrapServers, Topics.STRUCTURED.name())) {
            log.add(StructuredRecord.parseFrom(record.value()), record.partition(), customer, identities, positions);
        }
        return log;
    }

    private void add(
            StructuredRecord record,
            int partition,
            String customer,
            Set<String> identities,
            Map<Integer, Long> positions) {
        Origin origin = record.hasEvent()
                ? record.getEvent().getOrigin()
                : record.getMarker().getOrigin();
        long expected = positions.getOrDefault(partition, 0L);
        if (origin.getPos() != expected) {
            faults.add("partition " + partition + " has pos " + origin.getPos() + " where " + expected + " is due");
        }
        positions.put(partition, origin.getPos() + 1);
        if (record.hasMarker()) {
            if (record.getMarker().getCustomerId().equals(customer)
                    || record.getMarker().getCustomerId().isEmpty()) {
                markers.add(record.getMarker());
            }
            return;
        }
        Envelope event = record.getEvent();
        if (!event.getCustomerId().equals(customer)) {
            return;
        }
        String identity = event.getSensorId() + " epoch " + event.getEpoch() + " seq " + event.getSeq();
        if (!identities.add(identity)) {
            faults.add(identity + " stands twice");
        }
        eventsBySensor
                .computeIfAbsent(event.getSensorId(), sensor -> new ArrayList<>())
                .add(event);
    }
}
