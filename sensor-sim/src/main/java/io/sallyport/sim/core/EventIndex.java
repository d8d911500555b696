package io.sallyport.sim.core;

/**
 * What the sensor knows of each number above its floor, without the payloads: a ring of primitive arrays. A number is
 * addressed by its offset from the floor, so that nothing overflows at the end of the sequence space.
 *
 * <pre>
 *   watermark ≤ floor &lt; floor + 1 … floor + size = last
 * </pre>
 *
 * What lies between the watermark and the floor was given up at the front of the spool.
 */
final class EventIndex {
    /** Held, and never sent. */
    static final byte NEW = 0;
    /** Held, was sent, and has to be sent again. */
    static final byte RESEND = 1;
    /** Held, sent, and waiting for its ACK, or for its turn in a split batch. */
    static final byte IN_FLIGHT = 2;
    /** Given up; its SKIP is not sent yet in this session. */
    static final byte HOLE = 3;
    /** Given up, its SKIP is sent. */
    static final byte HOLE_SENT = 4;

    private static final byte RENUMBERED = 1;
    private static final byte OLD = 2;
    /** Sent, and held: counts in the window. */
    private static final byte SENT = 4;
    /** Sent at least once, in whatever epoch. */
    private static final byte COUNTED = 8;

    private long floor;
    private int size;
    private int head;
    private int[] payloadBytes = new int[16];
    private short[] types = new short[16];
    private byte[] states = new byte[16];
    private byte[] marks = new byte[16];
    private short[] reasons = new short[16];
    private long[] firstSentUs = new long[16];

    private int held;
    private long heldBytes;
    private int sent;
    private int holes;
    /** Offset of the first held number that was never sent; all before it are sent or given up. */
    private int firstUnsent;
    /** Sent numbers before {@link #firstUnsent}. */
    private int sentBeforeFirstUnsent;

    EventIndex(long floor) {
        this.floor = floor;
    }

    long floor() {
        return floor;
    }

    long last() {
        return floor + size;
    }

    int size() {
        return size;
    }

    /** Events that are held. */
    int held() {
        return held;
    }

    long heldBytes() {
        return heldBytes;
    }

    /** Events that are held, and were sent at least once. */
    int sent() {
        return sent;
    }

    /** Numbers in state {@link #HOLE}. */
    int holes() {
        return holes;
    }

    /** Sent events above the first one that was never sent. */
    int sentAboveFirstUnsent() {
        return firstUnsent == size ? 0 : sent - sentBeforeFirstUnsent;
    }

    boolean isFirstUnsent(int offset) {
        return offset == firstUnsent;
    }

    long seq(int offset) {
        return floor + 1 + offset;
    }

    /** Offset of a number above the floor; -1 where it is not in the index. */
    int offsetOf(long seq) {
        return seq <= floor || seq - floor > size ? -1 : (int) (seq - floor - 1);
    }

    byte state(int offset) {
        return states[at(offset)];
    }

    boolean isHeld(int offset) {
        return state(offset) <= IN_FLIGHT;
    }

    boolean needsSend(int offset) {
        return state(offset) <= RESEND;
    }

    int payloadBytes(int offset) {
        return payloadBytes[at(offset)];
    }

    int type(int offset) {
        return types[at(offset)] & 0xFFFF;
    }

    int reason(int offset) {
        return reasons[at(offset)] & 0xFFFF;
    }

    boolean isRenumbered(int offset) {
        return (marks[at(offset)] & RENUMBERED) != 0;
    }

    /** It comes from the spool rather than from its source: it waited for a session, or was sent before. */
    boolean isReplay(int offset) {
        return (marks[at(offset)] & (OLD | SENT)) != 0;
    }

    boolean wasSent(int offset) {
        return (marks[at(offset)] & SENT) != 0;
    }

    /** Sent at least once, in whatever epoch. */
    boolean wasEverSent(int offset) {
        return (marks[at(offset)] & COUNTED) != 0;
    }

    long firstSentUs(int offset) {
        return firstSentUs[at(offset)];
    }

    /** Offset of the first held number; {@link #size()} where there is none. */
    int firstHeld() {
        int offset = 0;
        while (offset < size && !isHeld(offset)) {
            offset++;
        }
        return offset;
    }

    void add(int bytes, int type, boolean old, boolean renumbered) {
        int slot = grow();
        payloadBytes[slot] = bytes;
        types[slot] = (short) type;
        states[slot] = NEW;
        marks[slot] = (byte) ((old ? OLD : 0) | (renumbered ? RENUMBERED : 0));
        held++;
        heldBytes += bytes;
    }

    /** Takes an event over from another epoch; it is to be sent again. */
    void addMoved(EventIndex from, int offset, boolean renumbered) {
        add(from.payloadBytes(offset), from.type(offset), true, renumbered);
        if (from.wasEverSent(offset)) {
            int slot = at(size - 1);
            marks[slot] |= COUNTED;
            firstSentUs[slot] = from.firstSentUs(offset);
        }
    }

    void addHole(int reason) {
        int slot = grow();
        payloadBytes[slot] = 0;
        states[slot] = HOLE;
        marks[slot] = 0;
        reasons[slot] = (short) reason;
        holes++;
        advanceFirstUnsent();
    }

    void markInFlight(int offset, long nowUs) {
        int slot = at(offset);
        states[slot] = IN_FLIGHT;
        if ((marks[slot] & SENT) == 0) {
            if ((marks[slot] & COUNTED) == 0) {
                firstSentUs[slot] = nowUs;
            }
            marks[slot] |= SENT | COUNTED;
            sent++;
            advanceFirstUnsent();
        }
    }

    /** In flight no more: to be sent again. */
    void markResend(int offset) {
        if (state(offset) == IN_FLIGHT) {
            states[at(offset)] = RESEND;
        }
    }

    void markHole(int offset, int reason) {
        int slot = at(offset);
        if (states[slot] > IN_FLIGHT) {
            return;
        }
        forgetHeld(slot, offset);
        states[slot] = HOLE;
        reasons[slot] = (short) reason;
        holes++;
        advanceFirstUnsent();
    }

    void markSkipSent(int offset) {
        states[at(offset)] = HOLE_SENT;
        holes--;
    }

    /** The SKIPs that were sent have to be sent again. */
    void forgetSentSkips() {
        for (int offset = 0; offset < size; offset++) {
            if (state(offset) == HOLE_SENT) {
                states[at(offset)] = HOLE;
                holes++;
            }
        }
    }

    /** A new session: whatever was in flight is to be sent again, all of it from the spool. */
    void restartSession() {
        forgetSentSkips();
        for (int offset = 0; offset < size; offset++) {
            markResend(offset);
            marks[at(offset)] |= OLD;
        }
    }

    /** Takes the lowest number out; true where its event was held. */
    boolean removeFirst() {
        int slot = head;
        boolean wasHeld = states[slot] <= IN_FLIGHT;
        if (wasHeld) {
            forgetHeld(slot, 0);
        } else if (states[slot] == HOLE) {
            holes--;
        }
        head = (head + 1) & (states.length - 1);
        floor++;
        size--;
        if (firstUnsent > 0) {
            firstUnsent--;
        } else {
            advanceFirstUnsent();
        }
        return wasHeld;
    }

    /** The states from the floor on, for tests and logs. */
    @Override
    public String toString() {
        var text = new StringBuilder(size + 40);
        text.append(floor)
                .append('+')
                .append(size)
                .append(" sent ")
                .append(sent)
                .append(" first unsent ");
        text.append(seq(firstUnsent)).append(' ');
        for (int offset = 0; offset < Math.min(size, 128); offset++) {
            text.append("nrfhH".charAt(state(offset)));
        }
        return text.toString();
    }

    private void forgetHeld(int slot, int offset) {
        held--;
        heldBytes -= payloadBytes[slot];
        if ((marks[slot] & SENT) != 0) {
            sent--;
            if (offset < firstUnsent) {
                sentBeforeFirstUnsent--;
            }
            marks[slot] &= ~SENT;
        }
    }

    private void advanceFirstUnsent() {
        while (firstUnsent < size && (wasSent(firstUnsent) || !isHeld(firstUnsent))) {
            if (wasSent(firstUnsent)) {
                sentBeforeFirstUnsent++;
            }
            firstUnsent++;
        }
    }

    private int at(int offset) {
        return (head + offset) & (states.length - 1);
    }

    private int grow() {
        if (size == states.length) {
            int capacity = size * 2;
            payloadBytes = rotated(payloadBytes, new int[capacity]);
            types = rotated(types, new short[capacity]);
            reasons = rotated(reasons, new short[capacity]);
            states = rotated(states, new byte[capacity]);
            marks = rotated(marks, new byte[capacity]);
            firstSentUs = rotated(firstSentUs, new long[capacity]);
            head = 0;
        }
        int slot = at(size);
        size++;
        firstSentUs[slot] = 0;
        reasons[slot] = 0;
        return slot;
    }

    private <T> T rotated(T ring, T straight) {
        int behindHead = size - head;
        System.arraycopy(ring, head, straight, 0, behindHead);
        System.arraycopy(ring, 0, straight, behindHead, head);
        return straight;
    }
}
