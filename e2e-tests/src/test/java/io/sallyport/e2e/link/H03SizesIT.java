package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.RejectCode;
import org.junit.jupiter.api.Test;

/** Case H03, a to f: sizes at the edge, and a broker limit that counts uncompressed bytes. */
class H03SizesIT {
    static final int FULL_FRAME_EVENTS = 16;

    @Test
    void shouldTakeAnEventOf65536Bytes() {
        try (Session session = Link.open(Sensor.fresh("h03a"))) {
            session.append(Event.random(1, Frames.MAX_EVENT_BYTES)).expectWatermark(1);
            Link.raw().assertHolds(session);
            assertThat(Link.raw().telemetryOf(session.sensor()).get(0).stamp().getDroppedIndexesList())
                    .isEmpty();
        }
    }

    @Test
    void shouldDropOnlyTheEventThatIsTooLarge() {
        try (Session session = Link.open(Sensor.fresh("h03b"))) {
            session.append(Event.of(1), Event.random(2, Frames.MAX_EVENT_BYTES + 1), Event.of(3))
                    .expectWatermark(3);
            Link.raw().assertHolds(session);
            assertThat(Link.raw().telemetryOf(session.sensor()).get(0).stamp().getDroppedIndexesList())
                    .containsExactly(1);
        }
    }

    @Test
    void shouldTake512Events() {
        try (Session session = Link.open(Sensor.fresh("h03c"))) {
            session.append(Event.range(1, Frames.MAX_BATCH_EVENTS)).expectWatermark(Frames.MAX_BATCH_EVENTS);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldRefuseABatchOf513Events() {
        try (Session session = Link.open(Sensor.fresh("h03d"))) {
            Batch batch = session.batch(Event.range(1, Frames.MAX_BATCH_EVENTS + 1L));
            session.send(Frames.batch(batch)).expectBatchReject(RejectCode.BATCH_TOO_LARGE, batch.batchId());
            assertThat(session.barrier()).isEmpty();
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeABatchThatIsLargeOnlyOnceDecompressed() {
        try (Session session = Link.open(Sensor.fresh("h03e"))) {
            Event[] events = new Event[16];
            for (int i = 0; i < events.length; i++) {
                events[i] = Event.of(i + 1L, new byte[Frames.MAX_EVENT_BYTES]);
            }
            Batch batch = session.batch(events);
            assertThat(batch.rawLength()).isGreaterThan(Frames.MAX_FRAME_BYTES);
            session.append(batch.compressed()).expectWatermark(16);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldTakeAnUncompressedFrameOfExactlyTheLimit() {
        try (Session session = Link.open(Sensor.fresh("h03f"))) {
            session.append(fullFrame(session)).expectWatermark(FULL_FRAME_EVENTS);
            session.append(Event.of(FULL_FRAME_EVENTS + 1L)).expectWatermark(FULL_FRAME_EVENTS + 1L);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldRefuseAFrameOfOneByteMore() {
        try (Session session = Link.open(Sensor.fresh("h03f"))) {
            byte[] body = fullFrame(session).body();
            session.send(Frames.frame(Frames.BATCH, Bytes.join(body, new byte[1])))
                    .expectFinalReject(RejectCode.FRAME_TOO_LARGE);
            Link.raw().assertHolds(session);
        }
    }

    /** Incompressible events in a frame whose length field is exactly 1,048,576. */
    static Batch fullFrame(Session session) {
        int blockBytes = Frames.MAX_FRAME_BYTES - 1 - Batch.HEADER_BYTES;
        int each = blockBytes / FULL_FRAME_EVENTS;
        Event[] events = new Event[FULL_FRAME_EVENTS];
        for (int i = 0; i < events.length; i++) {
            int bytes = i < events.length - 1 ? each : blockBytes - each * (events.length - 1);
            events[i] = Event.random(i + 1L, bytes - Event.HEAD_BYTES);
        }
        Batch batch = session.batch(events);
        assertThat(Frames.batch(batch)).hasSize(4 + Frames.MAX_FRAME_BYTES);
        return batch;
    }
}
