package io.sallyport.e2e.link;

import com.google.protobuf.MessageLite;

/** The frames of section 2 of the page. */
final class Frames {
    static final int SENSOR_START = 0x01;
    static final int ACCEPT = 0x02;
    static final int REJECT = 0x03;
    static final int BATCH = 0x04;
    static final int ACK = 0x05;
    static final int SKIP = 0x06;
    static final int DRAIN = 0x07;
    static final int MESSAGE = 0x08;
    static final int MESSAGE_ACK = 0x09;
    static final int MESSAGE_NACK = 0x0A;
    static final int PING = 0x0B;
    static final int PONG = 0x0C;
    static final int STATS = 0x0D;

    static final int MAX_FRAME_BYTES = 1_048_576;
    static final int MAX_START_BYTES = 16_384;
    static final int MAX_BATCH_EVENTS = 512;
    static final int MAX_EVENT_BYTES = 65_536;
    static final int MAX_BATCH_BYTES = 4_194_304;
    static final int MAX_ACK_RANGES = 1_024;

    private Frames() {}

    /** u32 length of what follows, u8 type, body. */
    static byte[] frame(int type, byte[] body) {
        return new Bytes().u32(1L + body.length).u8(type).raw(body).toArray();
    }

    static byte[] frame(int type, MessageLite body) {
        return frame(type, body.toByteArray());
    }

    /** A frame's first bytes alone: whoever reads them may not wait for the rest. */
    static byte[] head(long length, int type) {
        return new Bytes().u32(length).u8(type).toArray();
    }

    static byte[] batch(Batch batch) {
        return frame(BATCH, batch.body());
    }

    static byte[] skip(long epoch, long fromSeq, long toSeq, int reason) {
        return frame(SKIP, skipBody(epoch, fromSeq, toSeq, reason));
    }

    static byte[] skipBody(long epoch, long fromSeq, long toSeq, int reason) {
        return new Bytes().u32(epoch).u64(fromSeq).u64(toSeq).u16(reason).toArray();
    }

    static byte[] ping(byte[] opaque) {
        return frame(PING, opaque);
    }

    static byte[] stats(long bufferedEvents, long bufferedBytes) {
        return frame(STATS, new Bytes().u64(bufferedEvents).u64(bufferedBytes).toArray());
    }
}
