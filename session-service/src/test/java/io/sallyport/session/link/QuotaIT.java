package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.CustomerTerms;
import java.io.IOException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a customer's record allows it on a day and in a second, and that a change of it holds within seconds. */
class QuotaIT {
    private static final CustomerTerms SLOWED = new CustomerTerms(0, 0, 100_000, false);
    private static final CustomerTerms REFUSED = new CustomerTerms(0, 0, 100_000, true);

    private static SensorSocket globex(TestGateway gateway) throws IOException {
        SensorSocket socket = gateway.connect();
        socket.start(Wire.start("globex", "q-0")
                .setToken(TestPki.shared().token("globex", "q-0"))
                .build());
        return socket;
    }

    private static double alerts(TestGateway gateway) {
        return gateway.counted("sallyport.alerts", "kind", "QUOTA_REACHED");
    }

    @Test
    void shouldSlowACustomerOverItsQuotaToTheFloor() throws Exception {
        var settings = TestGateway.with();
        settings.floorBytesPerSecond = 10_000;
        try (TestGateway gateway = settings.start()) {
            gateway.control.terms.put("acme", SLOWED);
            try (SensorSocket sensor = gateway.session("q-1");
                    SensorSocket neighbour = globex(gateway)) {
                // Not so fast that it would be asked to wait, but more than a day's bytes.
                sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 40_000));
                assertThat(sensor.readAck()).isEqualTo(new Ack(1, 3, 0));
                Awaitility.await().until(() -> alerts(gateway) == 1);
                sensor.send(FrameType.BATCH, Wire.batch(1, 2, 4, 5, 40_000));
                Ack slowed = sensor.readAck();
                assertThat(slowed.watermark()).isEqualTo(5);
                assertThat(slowed.throttleMs()).isBetween(5_000, 60_000);
                neighbour.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 40_000));
                assertThat(neighbour.readAck()).isEqualTo(new Ack(1, 3, 0));
                assertThat(alerts(gateway)).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldRefuseACustomerOverItsQuotaWhereItsRecordSaysSo() throws Exception {
        var settings = TestGateway.with();
        settings.admission = TestGateway.admission(100_000, 10_000, 10_000, 200);
        try (TestGateway gateway = settings.start()) {
            gateway.control.terms.put("acme", REFUSED);
            try (SensorSocket sensor = gateway.session("q-2")) {
                sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 40_000));
                SensorSocket.Frame frame = sensor.read();
                while (frame.type() == FrameType.ACK) {
                    frame = sensor.read();
                }
                // What was taken in before is acknowledged before.
                assertThat(Reject.parseFrom(frame.body()).getCode()).isEqualTo(RejectCode.QUOTA_EXCEEDED);
            }
            try (SensorSocket sensor = gateway.connect()) {
                sensor.send(
                        FrameType.SENSOR_START,
                        Wire.start("acme", "q-3")
                                .setToken(TestPki.shared().token("acme", "q-3"))
                                .build());
                Reject refused = sensor.readReject();
                assertThat(refused.getCode()).isEqualTo(RejectCode.QUOTA_EXCEEDED);
                assertThat(refused.getRetryAfterMs()).isPositive();
            }
            gateway.control.terms.put("acme", new CustomerTerms(0, 0, 1_000_000, true));
            gateway.session("q-3").close();
        }
    }

    @Test
    void shouldApplyARateOfTheRecordToLiveSessions() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                SensorSocket sensor = gateway.session("q-4")) {
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 60_000));
            assertThat(sensor.readAck().throttleMs()).isZero();
            gateway.control.terms.put("acme", new CustomerTerms(20_000, 0, 0, false));
            long next = 4;
            Ack ack;
            do {
                sensor.send(FrameType.BATCH, Wire.batch(1, (int) next, next, next, 60_000));
                ack = sensor.readAckUpTo(next);
                next++;
                // 60 MB in all, where the rate never comes.
            } while (ack.throttleMs() == 0 && next < 1_000);
            assertThat(ack.throttleMs()).isGreaterThanOrEqualTo(1_000);
        }
    }
}
