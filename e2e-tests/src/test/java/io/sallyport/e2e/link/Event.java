package io.sallyport.e2e.link;

import java.util.Random;

/**
 * One entry of an event block.
 *
 * @param payloadLength as written in the entry, unsigned; not always what {@code payload} has
 */
record Event(long seq, long eventTsUs, int type, int schema, long payloadLength, byte[] payload) {
    static final int PROCESS_START = 4;
    /** u64 seq, i64 event_ts_us, u16 event_type, u16 payload_schema, u32 payload_length. */
    static final int HEAD_BYTES = 24;

    private static final long SOME_TIME_US = 1_790_000_000_000_000L;

    /** A small valid event, different for each seq. */
    static Event of(long seq) {
        return of(seq, Bytes.ascii("{\"pid\":" + Long.toUnsignedString(seq) + "}"));
    }

    static Event of(long seq, byte[] payload) {
        return new Event(seq, SOME_TIME_US + seq, PROCESS_START, 1, payload.length, payload);
    }

    /** A payload that no compressor makes smaller. */
    static Event random(long seq, int payloadBytes) {
        byte[] payload = new byte[payloadBytes];
        new Random(seq).nextBytes(payload);
        return of(seq, payload);
    }

    static Event[] range(long fromSeq, long toSeq) {
        Event[] events = new Event[(int) (toSeq - fromSeq + 1)];
        for (int i = 0; i < events.length; i++) {
            events[i] = of(fromSeq + i);
        }
        return events;
    }

    static Event[] seqs(long... seqs) {
        Event[] events = new Event[seqs.length];
        for (int i = 0; i < events.length; i++) {
            events[i] = of(seqs[i]);
        }
        return events;
    }

    Event withType(int otherType) {
        return new Event(seq, eventTsUs, otherType, schema, payloadLength, payload);
    }

    Event withSchema(int otherSchema) {
        return new Event(seq, eventTsUs, type, otherSchema, payloadLength, payload);
    }

    Event withTime(long otherTsUs) {
        return new Event(seq, otherTsUs, type, schema, payloadLength, payload);
    }

    /** Another length in the entry than the payload's. */
    Event withPayloadLength(long otherLength) {
        return new Event(seq, eventTsUs, type, schema, otherLength, payload);
    }

    static byte[] block(Event... events) {
        var block = new Bytes();
        for (Event event : events) {
            block.u64(event.seq)
                    .u64(event.eventTsUs)
                    .u16(event.type)
                    .u16(event.schema)
                    .u32(event.payloadLength)
                    .raw(event.payload);
        }
        return block.toArray();
    }
}
