package io.sallyport.sim.spool;

import io.sallyport.envelope.identity.SensorKey;
import java.nio.ByteBuffer;

/**
 * The keys of one sensor: {@code customer/sensor 0x00 kind …}, with kind E (u32 epoch, u64 seq), M (u64 ordinal) and S.
 * The syntax of ids has no NUL, so that no sensor's keys lie among another's.
 */
final class SpoolKeys {
    private final byte[] prefix;

    SpoolKeys(SensorKey sensor) {
        byte[] id = sensor.topicKeyBytes();
        prefix = new byte[id.length + 1];
        System.arraycopy(id, 0, prefix, 0, id.length);
    }

    byte[] state() {
        return start('S', 0).array();
    }

    byte[] message(long ordinal) {
        return start('M', 8).putLong(ordinal).array();
    }

    byte[] event(long epoch, long seq) {
        return start('E', 12).putInt((int) epoch).putLong(seq).array();
    }

    /** Number of bytes in front of the seq of an event, or of the ordinal of a message. */
    int numberAt(boolean ofEvent) {
        return prefix.length + 1 + (ofEvent ? 4 : 0);
    }

    private ByteBuffer start(char kind, int more) {
        return ByteBuffer.allocate(prefix.length + 1 + more).put(prefix).put((byte) kind);
    }
}
