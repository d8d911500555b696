package io.sallyport.sim.spool;

import io.sallyport.sim.core.SensorEvent;
import io.sallyport.sim.core.SensorState;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an event in a durable spool:
 *
 * <pre>
 *   u32 crc32c of what follows · u8 marks · i64 event_ts_us · u16 event_type · u16 payload_schema · payload
 * </pre>
 *
 * Mark bit 0 says that the event had a number in an earlier epoch; bit 1 that it was given up, event_type is then the
 * reason of its SKIP. The checksum is what a spooled event is compared with before it is sent.
 */
final class StoredEvents {
    static final int RENUMBERED = 1;
    private static final int DROPPED = 2;
    private static final int HEADER_BYTES = 4 + 1 + 8 + 2 + 2;
    private static final int STATE_BYTES = 6 * Long.BYTES;

    private StoredEvents() {}

    static int bytes(SensorEvent event) {
        return HEADER_BYTES + event.payload().length;
    }

    /** Writes the value and flips the buffer. */
    static void write(SensorEvent event, int marks, ByteBuffer out) {
        out.clear().position(4);
        out.put((byte) marks)
                .putLong(event.eventTsUs())
                .putShort((short) event.type())
                .putShort((short) event.schema())
                .put(event.payload());
        out.flip();
        out.putInt(0, checksum(out));
    }

    static byte[] dropped(int reason) {
        var out = ByteBuffer.allocate(HEADER_BYTES);
        write(new SensorEvent(0, reason, 0, new byte[0]), DROPPED, out);
        return out.array();
    }

    /** Whether the value is what was written. */
    static boolean isIntact(byte[] value) {
        return value.length >= HEADER_BYTES && ByteBuffer.wrap(value).getInt() == checksum(ByteBuffer.wrap(value));
    }

    static boolean isDropped(byte[] value) {
        return (value[4] & DROPPED) != 0;
    }

    static boolean isRenumbered(byte[] value) {
        return (value[4] & RENUMBERED) != 0;
    }

    /** Event type, or the reason of what was given up. */
    static int type(byte[] value) {
        return ByteBuffer.wrap(value).getShort(13) & 0xFFFF;
    }

    static int payloadBytes(byte[] value) {
        return value.length - HEADER_BYTES;
    }

    /** Null where the value is damaged, or stands for an event that was given up. */
    static @Nullable SensorEvent read(byte[] value) {
        if (!isIntact(value) || isDropped(value)) {
            return null;
        }
        var in = ByteBuffer.wrap(value).position(5);
        long eventTsUs = in.getLong();
        int type = in.getShort() & 0xFFFF;
        int schema = in.getShort() & 0xFFFF;
        var payload = new byte[in.remaining()];
        in.get(payload);
        return new SensorEvent(eventTsUs, type, schema, payload);
    }

    static byte[] write(SensorState state) {
        return ByteBuffer.allocate(STATE_BYTES)
                .putLong(state.epoch())
                .putLong(state.lastSeq())
                .putLong(state.watermark())
                .putLong(state.lastSessionId())
                .putLong(state.produced())
                .putLong(state.acked())
                .array();
    }

    static SensorState readState(byte[] value) {
        var in = ByteBuffer.wrap(value);
        return new SensorState(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }

    private static int checksum(ByteBuffer value) {
        var crc = new CRC32C();
        crc.update(value.duplicate().position(4));
        return (int) crc.getValue();
    }
}
