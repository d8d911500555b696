package io.sallyport.fanout.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.RowStore.Row;
import io.sallyport.fanout.core.RowStore.Table;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.SegmentChunk;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetStatus;

/**
 * Which row a record becomes. What a record says of itself must be what its key names: otherwise one customer's content
 * would be kept, and later answered, under another's name.
 */
final class Rows {
    private Rows() {}

    /** The value names something else than the key does. */
    static final class ForeignException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /**
     * @param key of the record
     * @param value of the record; null deletes the row of that key
     */
    static Row of(Table table, String key, byte[] value) throws InvalidProtocolBufferException, ForeignException {
        if (value == null) {
            return new Row(table, key, null);
        }
        String named = named(table, value);
        if (!key.equals(table == Table.PLANS ? named.substring(0, named.lastIndexOf('/')) : named)) {
            throw new ForeignException();
        }
        // All chunks of a plan have the message's key, so that they share its partition; as rows they are apart.
        return new Row(table, named, value);
    }

    private static String named(Table table, byte[] value) throws InvalidProtocolBufferException {
        switch (table) {
            case DECISIONS -> {
                var decision = MessageDecision.parseFrom(value);
                return Keys.message(decision.getCustomerId(), decision.getMsgId());
            }
            case SEGMENTS -> {
                var chunk = SegmentChunk.parseFrom(value);
                return Keys.segmentChunk(chunk.getCustomerId(), chunk.getName(), chunk.getVersion(), chunk.getChunk());
            }
            case PLANS -> {
                var chunk = PlanChunk.parseFrom(value);
                return Keys.chunk(chunk.getCustomerId(), chunk.getMsgId(), chunk.getChunk());
            }
            case COUNTS -> {
                var partial = StatusPartial.parseFrom(value);
                return Keys.partial(partial.getCustomerId(), partial.getMsgId(), partial.getTask());
            }
            case TARGETS -> {
                var status = TargetStatus.parseFrom(value);
                return Keys.target(status.getCustomerId(), status.getMsgId(), status.getSensorId());
            }
        }
        throw new IllegalStateException("no table " + table);
    }
}
