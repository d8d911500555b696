package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.RejectCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** H02: a small compressed batch that grows without end. */
class H02CompressedBombIT {
    private static final int D_MAX = 4_194_304;

    private static byte[] batch(int rawLength, int count, byte[] compressed) {
        var crc = new CRC32C();
        crc.update(compressed);
        var body = ByteBuffer.allocate(BatchHeader.BYTES + compressed.length);
        new BatchHeader(1, 5, BatchHeader.CODEC_ZSTD, 0, count, rawLength, (int) crc.getValue()).write(body);
        return body.put(compressed).array();
    }

    private static byte[] streamed(byte[] content) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStream(out, 3)) {
            zstd.write(content);
        }
        return out.toByteArray();
    }

    /** 64 events that fill exactly {@code bytes}. */
    private static byte[] events(int bytes) {
        var block = ByteBuffer.allocate(bytes);
        for (int i = 1; i <= 64; i++) {
            int payload = i < 64 ? bytes / 64 - 24 : block.remaining() - 24;
            block.putLong(i).putLong(1).putShort((short) 4).putShort((short) 1).putInt(payload);
            block.position(block.position() + payload);
        }
        return block.array();
    }

    @Test
    void shouldStopTheBombEachTimeAndAppendNothing() throws IOException {
        byte[] zeros = new byte[64 << 20];
        byte[] stated = batch(D_MAX, 1, Zstd.compress(zeros, 19));
        byte[] unstated = batch(D_MAX, 1, streamed(zeros));
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("h02")) {
            for (byte[] bomb : new byte[][] {stated, unstated, batch(D_MAX, 64, streamed(events(D_MAX + 1)))}) {
                for (int resend = 0; resend < 4; resend++) {
                    sensor.send(FrameType.BATCH, bomb);
                    var reject = sensor.readReject();
                    assertThat(reject.getCode()).isEqualTo(RejectCode.BATCH_TOO_LARGE);
                    assertThat(reject.getBatchId()).isEqualTo(5);
                }
            }
            assertThat(gateway.log.records(RawKind.BATCH)).isEmpty();
            sensor.send(FrameType.BATCH, batch(D_MAX, 64, streamed(events(D_MAX))));
            assertThat(sensor.readAck().watermark()).isEqualTo(64);

            var others = new ArrayList<SensorSocket>();
            for (int i = 0; i < 20; i++) {
                others.add(gateway.session("h02-" + i));
                others.get(i).send(FrameType.BATCH, unstated);
            }
            for (SensorSocket other : others) {
                assertThat(other.readReject().getCode()).isEqualTo(RejectCode.BATCH_TOO_LARGE);
                other.close();
            }
        }
    }
}
