package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.Received.Frame;
import org.junit.jupiter.api.Test;

/** Section 2 of the page: PING when nothing was received for keepalive, and the end after three without an answer. */
class KeepaliveIT {

    @Test
    void shouldPingASilentSensorAndCloseAfterThreeUnanswered() {
        try (Session session = Link.open(Sensor.fresh("keepalive"))) {
            session.client().leavePingsUnanswered();
            var frames = session.client().untilEnd();
            assertThat(frames.stream().filter(frame -> frame.type() == Frames.PING))
                    .hasSize(3);
            assertThat(frames).allMatch(frame -> frame.type() == Frames.PING || frame.type() == Frames.REJECT);
        }
    }

    @Test
    void shouldTakeAnyFrameForAnAnswer() {
        try (Session session = Link.open(Sensor.fresh("keepalive"))) {
            session.client().leavePingsUnanswered();
            // Five PINGs, answered with STATS, an unsolicited PONG or a BATCH: more than three, and the session lives.
            for (int i = 0; i < 5; i++) {
                var next = (Frame) session.client().next();
                assertThat(next.type()).isEqualTo(Frames.PING);
                switch (i % 3) {
                    case 0 -> session.send(Frames.stats(0, 0));
                    case 1 -> session.send(Frames.frame(Frames.PONG, new byte[3]));
                    default -> session.append(Event.of(1)).expectWatermark(1);
                }
            }
            session.append(Event.of(2)).expectWatermark(2);
        }
    }
}
