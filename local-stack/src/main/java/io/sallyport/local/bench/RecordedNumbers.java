package io.sallyport.local.bench;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.stack.StackException;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Which numbers of which sensors stand in `structured`, as a consumer reads it. Numbers below 2^31. */
final class RecordedNumbers {
    /** One numbering of one sensor. */
    private record Epoch(SensorKey sensor, long epoch) {}

    private final Map<Epoch, BitSet> events = new HashMap<>();
    private final Map<Epoch, BitSet> explained = new HashMap<>();
    private long doubled;
    private long markers;

    private RecordedNumbers() {}

    /**
     * What a comparison found.
     *
     * @param acknowledged numbers that the sensors were acknowledged
     * @param lost of them, how many neither stand in the log nor are explained by a marker
     * @param doubled identities that stand more than once, each time beyond the first counted
     * @param neverSent numbers in the log that no sensor had given
     * @param markers of the sensors' customers
     */
    record Comparison(long acknowledged, long lost, long doubled, long neverSent, long markers) {}

    /** Reads to the end that the log had at the call. */
    static RecordedNumbers read(String bootstrapServers) {
        var numbers = new RecordedNumbers();
        try (var reader = new CommittedReader(bootstrapServers, "sallyport-bench")) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(Topics.STRUCTURED.name()).toEnd()) {
                numbers.add(StructuredRecord.parseFrom(record.value()));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new StackException("a record of " + Topics.STRUCTURED.name() + " cannot be read", e);
        }
        return numbers;
    }

    private void add(StructuredRecord record) {
        if (record.hasEvent()) {
            Envelope event = record.getEvent();
            BitSet of = events.computeIfAbsent(
                    new Epoch(
                            new SensorKey(event.getCustomerId(), event.getSensorId()),
                            Integer.toUnsignedLong(event.getEpoch())),
                    epoch -> new BitSet());
            int seq = Math.toIntExact(event.getSeq());
            if (of.get(seq)) {
                doubled++;
            }
            of.set(seq);
        } else if (record.hasMarker() && !record.getMarker().getSensorId().isEmpty()) {
            CoverageMarker marker = record.getMarker();
            markers++;
            BitSet of = explained.computeIfAbsent(
                    new Epoch(
                            new SensorKey(marker.getCustomerId(), marker.getSensorId()),
                            Integer.toUnsignedLong(marker.getEpoch())),
                    epoch -> new BitSet());
            for (SeqRange range : marker.getRangesList()) {
                of.set(Math.toIntExact(range.getFrom()), Math.toIntExact(range.getTo() + 1));
            }
        }
    }

    /** Against what the sensors say of their newest epochs. */
    Comparison compare(Collection<FleetProcess.Position> sensors) {
        long acknowledged = 0;
        long lost = 0;
        long neverSent = 0;
        for (FleetProcess.Position sensor : sensors) {
            var epoch = new Epoch(new SensorKey(sensor.customer(), sensor.sensor()), sensor.epoch());
            BitSet there = (BitSet) events.getOrDefault(epoch, new BitSet()).clone();
            neverSent += there.length() == 0
                    ? 0
                    : there.get((int) sensor.last() + 1, Math.max(there.length(), (int) sensor.last() + 1))
                            .cardinality();
            there.or(explained.getOrDefault(epoch, new BitSet()));
            int acked = Math.toIntExact(sensor.acked());
            acknowledged += acked;
            lost += acked - there.get(1, acked + 1).cardinality();
        }
        return new Comparison(acknowledged, lost, doubled, neverSent, markers);
    }
}
