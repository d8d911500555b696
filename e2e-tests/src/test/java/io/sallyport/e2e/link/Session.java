package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.Received.Ack;
import io.sallyport.e2e.link.Received.Frame;
import io.sallyport.e2e.link.proto.Accept;
import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import java.util.ArrayList;
import java.util.List;

/** One connection and its session, with what a test expects next. Watermarks are compared unsigned. */
final class Session implements AutoCloseable {
    private final Sensor sensor;
    private final SensorClient client;
    private Accept accept = Accept.getDefaultInstance();
    private long lastWatermark;
    private int nextBatchId = 1;
    private long nextSeq = 1;
    /** Bodies that must be in the raw log, in this order. */
    private final List<byte[]> appended = new ArrayList<>();

    Session(Sensor sensor, SensorClient client) {
        this.sensor = sensor;
        this.client = client;
    }

    Sensor sensor() {
        return sensor;
    }

    SensorClient client() {
        return client;
    }

    Accept accept() {
        return accept;
    }

    long epoch() {
        return Integer.toUnsignedLong(accept.getEpoch());
    }

    /** The lowest seq that was not used yet, as long as every seq is taken from here. */
    long newSeq() {
        return nextSeq++;
    }

    /** The next ones. */
    Event[] newEvents(int count) {
        Event[] events = new Event[count];
        for (int i = 0; i < count; i++) {
            events[i] = Event.of(newSeq());
        }
        return events;
    }

    List<byte[]> appended() {
        return appended;
    }

    /** A valid batch in this session's epoch with an id of its own. */
    Batch batch(Event... events) {
        return Batch.of(epoch(), nextBatchId++, events);
    }

    Session send(byte[]... parts) {
        client.send(parts);
        return this;
    }

    /** Sends a batch that must be appended. */
    Session append(Batch batch) {
        byte[] body = batch.body();
        appended.add(body);
        return send(Frames.frame(Frames.BATCH, body));
    }

    Session append(Event... events) {
        return append(batch(events));
    }

    /** Sends a SKIP that must be appended. */
    Session skip(long fromSeq, long toSeq, int reason) {
        byte[] body = Frames.skipBody(epoch(), fromSeq, toSeq, reason);
        appended.add(body);
        return send(Frames.frame(Frames.SKIP, body));
    }

    Session expectAccept() {
        Received next = client.next();
        if (next instanceof Frame frame && frame.type() == Frames.ACCEPT) {
            accept = frame.accept();
            lastWatermark = accept.getWatermark();
            return this;
        }
        throw new AssertionError("instead of an ACCEPT: " + next);
    }

    /** Whether the next frame is an ACCEPT, which is taken then; another one is left for what is expected next. */
    boolean isAccepted() {
        if (client.peek() instanceof Frame frame && frame.type() == Frames.ACCEPT) {
            expectAccept();
            return true;
        }
        return false;
    }

    /** The next ACK. */
    Ack expectAck() {
        return take(Frames.ACK).ack();
    }

    /** ACKs up to this watermark, none of which falls or goes beyond it. */
    Session expectWatermark(long watermark) {
        Ack ack;
        do {
            ack = expectAck();
            assertThat(ack.epoch()).as("epoch of the ACK").isEqualTo(epoch());
            assertThat(Long.compareUnsigned(ack.watermark(), lastWatermark))
                    .as("ACK %s after %s", Long.toUnsignedString(ack.watermark()), Long.toUnsignedString(lastWatermark))
                    .isGreaterThanOrEqualTo(0);
            assertThat(Long.compareUnsigned(ack.watermark(), watermark))
                    .as("ACK %s, where %s is the highest allowed", ack.watermark(), watermark)
                    .isLessThanOrEqualTo(0);
            lastWatermark = ack.watermark();
        } while (ack.watermark() != watermark);
        return this;
    }

    /** ACKs up to the last seq that was taken. */
    Session expectAllAcknowledged() {
        return expectWatermark(nextSeq - 1);
    }

    /** A REJECT of this batch alone; ACKs of earlier batches may come before it. */
    Reject expectBatchReject(RejectCode code, long batchId) {
        Frame frame = takeBut(Frames.REJECT, Frames.ACK);
        Reject reject = frame.reject();
        assertThat(reject.getCode()).as(frame.toString()).isEqualTo(code);
        assertThat(reject.hasBatchId()).as("has a batch_id: %s", frame).isTrue();
        assertThat(Integer.toUnsignedLong(reject.getBatchId())).isEqualTo(batchId);
        return reject;
    }

    /** A REJECT that ends the session, and then the end of the stream in order; ACKs may come before it. */
    Reject expectFinalReject(RejectCode code) {
        Frame frame = takeBut(Frames.REJECT, Frames.ACK);
        Reject reject = frame.reject();
        assertThat(reject.getCode()).as(frame.toString()).isEqualTo(code);
        assertThat(reject.hasBatchId()).as("a batch_id in %s", frame).isFalse();
        assertThat(client.next()).as("after %s", frame).isEqualTo(new Received.End(null));
        return reject;
    }

    /**
     * Shows that the session lives, and that the gateway has looked at everything sent before: PING, and its PONG.
     *
     * @return what came before the PONG
     */
    List<Frame> barrier() {
        byte[] opaque = new Bytes().u64(System.nanoTime()).toArray();
        send(Frames.ping(opaque));
        var before = new ArrayList<Frame>();
        while (true) {
            Received next = client.next();
            if (!(next instanceof Frame frame)) {
                throw new AssertionError("instead of a PONG: " + next + " after " + before);
            }
            if (frame.type() == Frames.PONG) {
                assertThat(frame.body()).isEqualTo(opaque);
                return before;
            }
            before.add(frame);
        }
    }

    private Frame take(int type) {
        return takeBut(type, type);
    }

    /** The next frame of a type, where frames of another type are passed over. */
    private Frame takeBut(int type, int passedOver) {
        while (true) {
            Received next = client.next();
            if (!(next instanceof Frame frame) || frame.type() != type && frame.type() != passedOver) {
                throw new AssertionError("instead of a frame of type " + type + ": " + next);
            }
            if (frame.type() == type) {
                return frame;
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
