package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.RejectCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** TCP and TLS cut the bytes wherever they like: frames are the same. */
class SegmentationIT {

    @Test
    void shouldServeASensorThatSendsByteByByte() {
        var sensor = Sensor.fresh("slow");
        try (Session session = Link.connect(sensor)) {
            session.client().sendInPieces(start(sensor), 1);
            session.expectAccept();
            byte[] body = session.batch(Event.range(1, 10)).compressed().body();
            session.appended().add(body);
            session.client().sendInPieces(Frames.frame(Frames.BATCH, body), 1);
            session.expectWatermark(10);
            byte[] skip = Frames.skipBody(session.epoch(), 11, 12, 1);
            session.appended().add(skip);
            session.client().sendInPieces(Frames.frame(Frames.SKIP, skip), 1);
            session.expectWatermark(12);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldFindFramesCutAtEveryByte() {
        try (Session session = Link.open(Sensor.fresh("cut"))) {
            int frameBytes = Frames.batch(session.batch(Event.of(1))).length;
            for (int cut = 1; cut < frameBytes; cut++) {
                byte[] body = session.batch(Event.of(cut)).body();
                session.appended().add(body);
                byte[] frame = Frames.frame(Frames.BATCH, body);
                session.send(Arrays.copyOf(frame, cut));
                session.send(Arrays.copyOfRange(frame, cut, frame.length));
            }
            session.expectWatermark(frameBytes - 1);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldFindFramesInPiecesOfAnySize() {
        try (Session session = Link.open(Sensor.fresh("pieces"))) {
            for (int pieceBytes = 2; pieceBytes <= 40; pieceBytes++) {
                byte[] first = session.batch(Event.of(2L * pieceBytes - 3)).body();
                byte[] second = session.batch(Event.of(2L * pieceBytes - 2))
                        .compressed()
                        .body();
                session.appended().add(first);
                session.appended().add(second);
                byte[] both = Bytes.join(Frames.frame(Frames.BATCH, first), Frames.frame(Frames.BATCH, second));
                session.client().sendInPieces(both, pieceBytes);
            }
            session.expectWatermark(78);
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldFindManyFramesInOneSegment() {
        try (Session session = Link.open(Sensor.fresh("many"))) {
            List<byte[]> frames = new ArrayList<>();
            for (int seq = 1; seq <= 200; seq++) {
                byte[] body = session.batch(Event.of(seq)).body();
                session.appended().add(body);
                frames.add(Frames.frame(Frames.BATCH, body));
                frames.add(Frames.ping(new Bytes().u32(seq).toArray()));
            }
            session.send(frames.toArray(new byte[0][]));
            int pongs = 0;
            long watermark = 0;
            while (pongs < 200 || watermark < 200) {
                var frame = (Received.Frame) session.client().next();
                if (frame.type() == Frames.PONG) {
                    pongs++;
                    assertThat(frame.body()).isEqualTo(new Bytes().u32(pongs).toArray());
                } else {
                    assertThat(frame.ack().watermark()).isBetween(watermark, 200L);
                    watermark = frame.ack().watermark();
                }
            }
            Link.raw().assertHolds(session);
        }
    }

    @Test
    void shouldRefuseABatchThatDoesNotWaitForAccept() {
        // A sensor that resumes may guess its epoch; it has to wait all the same.
        var sensor = Sensor.fresh("early");
        Link.open(sensor).close();
        try (Session session = Link.connect(sensor)) {
            Batch early = Batch.of(1, 1, Event.of(1));
            session.send(
                    Frames.frame(Frames.SENSOR_START, sensor.start(1, 0, 1, 0).build()), Frames.batch(early));
            var frames = session.client().untilEnd();
            assertThat(frames).noneMatch(frame -> frame.type() == Frames.ACK);
            assertThat(frames.get(frames.size() - 1).type()).isEqualTo(Frames.REJECT);
            assertThat(frames.get(frames.size() - 1).reject().getCode()).isEqualTo(RejectCode.PROTOCOL_VIOLATION);
            assertThat(Link.raw().telemetryOf(sensor)).isEmpty();
        }
    }

    private static byte[] start(Sensor sensor) {
        return Frames.frame(Frames.SENSOR_START, sensor.start().build());
    }
}
