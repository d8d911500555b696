package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.RejectCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** H09 as the link decides it: the last valid seqs work, one more is refused with a clear detail, nothing wraps. */
class H09SignBitIT {
    private static final long MAX = Long.MAX_VALUE;

    @Test
    void shouldWorkUpToTheLastSeqAndNotBeyond() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.connect()) {
            var accept = sensor.start(Wire.start("acme", "h09")
                    .setToken(TestPki.shared().token("acme", "h09"))
                    .setEpoch(2)
                    .setWatermark(MAX - 3)
                    .setNextSeq(MAX - 2)
                    .build());
            assertThat(accept.getWatermark()).isEqualTo(MAX - 3);
            sensor.send(FrameType.BATCH, Wire.batch(2, 1, MAX - 2, MAX - 1, 1));
            assertThat(sensor.readAck().watermark()).isEqualTo(MAX - 1);
            sensor.send(FrameType.BATCH, Wire.batchOf(2, 2, MAX, MIN));
            var beyond = sensor.readReject();
            assertThat(beyond.getCode()).isEqualTo(RejectCode.BATCH_MALFORMED);
            assertThat(beyond.getDetail()).contains("9223372036854775808").doesNotContain("-9");
            sensor.send(FrameType.BATCH, Wire.batch(2, 3, MAX, MAX, 1));
            assertThat(sensor.readAck().watermark()).isEqualTo(MAX);
            sensor.send(FrameType.BATCH, Wire.batch(2, 4, MAX - 1, MAX, 1));
            assertThat(sensor.readAck().watermark()).isEqualTo(MAX);
            sensor.send(FrameType.SKIP, Wire.skip(2, MAX, MIN, 1));
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.SKIP_MALFORMED);
        }
    }

    private static final long MIN = Long.MIN_VALUE;
}
