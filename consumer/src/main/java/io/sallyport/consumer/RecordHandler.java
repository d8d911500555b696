package io.sallyport.consumer;

import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;

/**
 * What is done with the record, by whoever reads it. All calls come from one thread, that of
 * {@link io.sallyport.consumer.kafka.StructuredConsumer#run}, one at a time.
 *
 * <ul>
 *   <li>Order: what comes of one sensor comes in the order of the log. Between sensors none is promised.
 *   <li>At least once: a call that returned is not repeated, unless the process dies, or loses its partition, before the
 *       position is committed, about a second later. Then a run of records comes again, in the same order. Work that must not be
 *       done twice keeps {@link io.sallyport.consumer.core.HandledPositions} in the transaction of its effects.
 *   <li>A call that throws is tried again, and after some attempts the record is given up as a dead letter: nothing of its
 *       sensor is held up for ever. {@link NotNowException} says that the record is not at fault: then it is tried until it works.
 *       An {@link Error} other than a stack overflow ends the consumer, and nothing more is committed.
 * </ul>
 *
 * <p>A call must return well within {@code max.poll.interval.ms} (5 min), or the group gives the partition to another member
 * meanwhile.
 */
public interface RecordHandler {
    /** An event that is current, of a type that the consumer was set up for. */
    void event(Envelope event, Position at) throws Exception;

    /** Telemetry that is missing, or no longer is; at its place among the sensor's events. */
    void marker(CoverageMarker marker, Position at) throws Exception;

    /**
     * The normalizer derived a shard again. What came of it from an older generation, with `origin.raw_offset` at or behind
     * {@link ShardTakeover#fromOffset}, is void; the same identities come again under the new generation, from now on. A group that
     * begins, or that lost part of the log, is told of what took over before; where this throws then, it is tried until it works.
     */
    default void replaced(int shard, ShardTakeover takeover) throws Exception {}

    /** From now on records of this shard come here. */
    default void assigned(int shard) {}

    /** None come any more; another member may get them. What was kept in memory of this shard's sensors is out of date. */
    default void revoked(int shard) {}
}
