package io.sallyport.session.link;

import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.link.v1.SensorStart;
import java.nio.ByteBuffer;
import java.util.function.LongFunction;

/** Bytes as a sensor makes them. */
public final class Wire {
    private Wire() {}

    public static byte[] frame(int type, byte[] body) {
        return ByteBuffer.allocate(5 + body.length)
                .putInt(1 + body.length)
                .put((byte) type)
                .put(body)
                .array();
    }

    public static byte[] frame(FrameType type, byte[] body) {
        return frame(type.code(), body);
    }

    /** A new install. */
    public static SensorStart.Builder start(String customer, String sensor) {
        return SensorStart.newBuilder()
                .setProtocolVersion(1)
                .setCustomerId(customer)
                .setSensorId(sensor)
                .setNextSeq(1);
    }

    /** Events {@code from} … {@code to} with payloads of {@code payloadBytes}. */
    public static byte[] batch(long epoch, int batchId, long from, long to, int payloadBytes) {
        return batch(epoch, batchId, from, to, seq -> new byte[payloadBytes]);
    }

    public static byte[] batch(long epoch, int batchId, long from, long to, LongFunction<byte[]> payload) {
        return builder(from, to, payload).build(epoch, batchId, 0, 0);
    }

    public static byte[] zstdBatch(long epoch, int batchId, long from, long to, int payloadBytes) {
        return builder(from, to, seq -> new byte[payloadBytes]).build(epoch, batchId, 1, 0);
    }

    private static BatchBuilder builder(long from, long to, LongFunction<byte[]> payload) {
        var builder = new BatchBuilder();
        // Not `<= to`: that never ends at the largest seq.
        for (long i = 0; i <= to - from; i++) {
            long seq = from + i;
            builder.add(
                    seq,
                    1_700_000_000_000_000L + seq,
                    EventTypes.PROCESS_START,
                    1,
                    ByteBuffer.wrap(payload.apply(seq)));
        }
        return builder;
    }

    /** A batch of single events with the given seqs, in that order. */
    public static byte[] batchOf(long epoch, int batchId, long... seqs) {
        var builder = new BatchBuilder();
        for (long seq : seqs) {
            builder.add(seq, 1, EventTypes.PROCESS_START, 1, ByteBuffer.wrap(new byte[] {1}));
        }
        return builder.build(epoch, batchId, 0, 0);
    }

    public static byte[] skip(long epoch, long from, long to, int reason) {
        return new Skip(epoch, from, to, reason).toBytes();
    }
}
