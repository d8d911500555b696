package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.session.core.RawLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** H08: the receiver confirms the first seq of a batch, or the highest seen, and the sender drops what is not stored. */
class H08WhichNumberIsAcknowledgedIT {

    @Test
    void shouldAcknowledgeOnlyWhatIsContiguousAndDurable() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("h08")) {
            gateway.log.hold();
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 901, 910, 1));
            sensor.send(FrameType.BATCH, Wire.batch(1, 2, 1, 100, 1));
            var segment = new ByteArrayOutputStream();
            segment.writeBytes(Wire.frame(FrameType.BATCH, Wire.batch(1, 3, 101, 500, 1)));
            segment.writeBytes(Wire.frame(FrameType.BATCH, Wire.batch(1, 4, 501, 900, 1)));
            sensor.raw(segment.toByteArray());
            Awaitility.await().until(() -> gateway.log.records(RawKind.BATCH).size() == 4);
            List<FakeRawLog.Appended> records = gateway.log.records(RawKind.BATCH);

            // In the order of the case: 501-900, 901-910, 1-100, 101-500.
            long[] expected = {0, 0, 100, 910};
            int[] order = {3, 0, 1, 2};
            for (int i = 0; i < order.length; i++) {
                records.get(order[i]).whenDone().done(RawLog.Result.DURABLE);
                assertThat(sensor.readAck().watermark()).isEqualTo(expected[i]);
            }
        }
    }
}
