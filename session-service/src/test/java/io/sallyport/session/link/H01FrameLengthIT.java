package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.RejectCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** H01: foreign text or a hostile number where the frame length is expected. */
class H01FrameLengthIT {

    @Test
    void shouldRefuseEachHostileLengthOnceAndLeaveNeighboursAlone() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket neighbour = gateway.session("h01-n")) {
            double direct = gateway.gauge("sallyport.memory.direct");
            byte[][] inputs = {
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                ByteBuffer.allocate(4 + 1_048_577).putInt(1_048_577).array(),
                {(byte) 0x80, 0, 0, 0},
                {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF}
            };
            for (byte[] input : inputs) {
                // Once as the first frame, once in a session.
                try (SensorSocket fresh = gateway.connect()) {
                    refused(fresh, input);
                }
                try (SensorSocket session = gateway.session("h01")) {
                    refused(session, input);
                }
            }
            assertThat(gateway.counted("sallyport.link.rejects", "code", "FRAME_TOO_LARGE"))
                    .isEqualTo(8);
            assertThat(gateway.gauge("sallyport.memory.direct") - direct).isLessThan(32 << 20);
            assertThat(gateway.gauge("sallyport.memory.unfinished")).isZero();
            neighbour.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 10));
            assertThat(neighbour.readAck().watermark()).isEqualTo(3);
        }
    }

    @Test
    void shouldTakeAFrameOfExactlyTheLimit() throws IOException {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("h01-e")) {
            // 16 events fill the frame: type, header, and 16 times 24 bytes around the payloads.
            int room = 1_048_576 - 1 - 20 - 17 * 24;
            int each = room / 17;
            int rest = room - 17 * each;
            byte[] body = Wire.batch(1, 1, 1, 17, seq -> new byte[seq == 17 ? each + rest : each]);
            assertThat(body).hasSize(1_048_575);
            sensor.send(FrameType.BATCH, body);
            assertThat(sensor.readAck().watermark()).isEqualTo(17);
        }
    }

    private static void refused(SensorSocket sensor, byte[] input) throws IOException {
        try {
            sensor.raw(input);
        } catch (IOException e) {
            // The gateway may close before all of it is written; what it said is read below.
        }
        assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.FRAME_TOO_LARGE);
        assertThat(sensor.isClosedByPeer()).isTrue();
    }
}
