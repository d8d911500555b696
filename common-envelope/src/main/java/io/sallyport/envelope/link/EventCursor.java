package io.sallyport.envelope.link;

import java.nio.ByteBuffer;

/**
 * Walks the envelope fields of a decompressed event block and never reads a payload. A block is well-formed when the
 * walk ends exactly at its end after `count` events:
 *
 * <pre>{@code
 * var events = new EventCursor(block, header.count());
 * while (events.next()) { … }
 * if (!events.isComplete()) { malformed }
 * }</pre>
 */
public final class EventCursor {
    /** Bytes in front of each payload: seq, event_ts_us, event_type, payload_schema, payload_length. */
    public static final int HEADER_BYTES = 8 + 8 + 2 + 2 + 4;

    private final ByteBuffer block;
    private final int count;
    private final int end;
    private int index = -1;
    private int at;
    private int nextAt;
    private boolean torn;

    /** Walks from the position of {@code block} to its limit; both are left as they are. */
    public EventCursor(ByteBuffer block, int count) {
        this.block = block;
        this.count = count;
        this.end = block.limit();
        this.nextAt = block.position();
    }

    /** Moves to the next event; false behind the last one, and where the block ends inside an event. */
    public boolean next() {
        if (torn || index + 1 >= count) {
            return false;
        }
        if (end - nextAt < HEADER_BYTES) {
            torn = true;
            return false;
        }
        long length = Integer.toUnsignedLong(block.getInt(nextAt + 20));
        if (length > end - nextAt - HEADER_BYTES) {
            torn = true;
            return false;
        }
        index++;
        at = nextAt;
        nextAt = at + HEADER_BYTES + (int) length;
        return true;
    }

    /** After the walk: every event was there and nothing follows the last one. */
    public boolean isComplete() {
        return !torn && index + 1 == count && nextAt == end;
    }

    /** Index of the current event in the block, from 0. */
    public int index() {
        return index;
    }

    /** As signed: 0 and negative values are outside 1 … 2^63 - 1. */
    public long seq() {
        return block.getLong(at);
    }

    public long eventTsUs() {
        return block.getLong(at + 8);
    }

    public int eventType() {
        return block.getShort(at + 16) & 0xFFFF;
    }

    public int payloadSchema() {
        return block.getShort(at + 18) & 0xFFFF;
    }

    public int payloadLength() {
        return block.getInt(at + 20);
    }

    /** A view of the payload; no byte is copied. */
    public ByteBuffer payload() {
        return block.slice(at + HEADER_BYTES, payloadLength());
    }
}
