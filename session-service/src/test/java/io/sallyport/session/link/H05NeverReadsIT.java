package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.SessionPush;
import java.io.IOException;
import java.util.ArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** H05, the gateway's part, scaled down: sensors that send batches and read nothing, each with more messages waiting than it takes. */
class H05NeverReadsIT {
    private static final int SENSORS = 5;
    private static final int MESSAGE_BYTES = 4_096;

    @Test
    void shouldStopReadingAndEndThem() throws Exception {
        var settings = TestGateway.with();
        settings.stallTimeoutMs = 2_000;
        try (TestGateway gateway = settings.start();
                SensorSocket control = gateway.session("h05-ctl")) {
            var deaf = new ArrayList<SensorSocket>();
            for (int i = 0; i < SENSORS; i++) {
                String name = "h05-" + i;
                SensorSocket sensor = SensorSocket.connect(
                        gateway.port("token"), TestPki.shared().client(null), 4_096);
                sensor.start(Wire.start("acme", name)
                        .setToken(TestPki.shared().token("acme", name))
                        .build());
                deaf.add(sensor);
                push(gateway, name);
                var sender = new Thread(() -> {
                    try {
                        for (int seq = 1; ; seq++) {
                            sensor.send(FrameType.BATCH, Wire.batch(1, seq, seq, seq, 10));
                        }
                    } catch (IOException e) {
                        // Ended by the gateway, as it should.
                    }
                });
                sender.setDaemon(true);
                sender.start();
            }
            assertThat(gateway.gauge("sallyport.memory.direct")).isLessThan(64 << 20);
            control.send(FrameType.BATCH, Wire.batch(1, 1, 1, 3, 1));
            control.readAckUpTo(3);
            Awaitility.await()
                    .until(() -> gateway.counted("sallyport.link.rejects", "code", "SLOW_CONSUMER") == SENSORS);
            Awaitility.await().until(() -> gateway.sessions() == 1);
            // What they sent while they were not read stayed with them.
            int taken = gateway.log.records(RawKind.BATCH).size();
            control.send(FrameType.PING, new byte[0]);
            control.read(FrameType.PONG);
            assertThat(gateway.log.records(RawKind.BATCH)).hasSize(taken);
            gateway.stop();
            for (SensorSocket sensor : deaf) {
                sensor.close();
            }
        }
    }

    private static double notWritable(TestGateway gateway) {
        return gateway.counted("sallyport.link.notes", "kind", "push_not_writable");
    }

    /** Messages until one is not handed over. */
    private static void push(TestGateway gateway, String sensor) {
        long session = gateway.authority.newestSessionId(new SensorKey("acme", sensor));
        double before = notWritable(gateway);
        // However much is pushed: what is not writable is not handed over.
        for (int i = 0; notWritable(gateway) == before; i++) {
            gateway.commands.push(SessionPush.newBuilder()
                    .setCustomerId("acme")
                    .setSensorId(sensor)
                    .setSessionId(session)
                    .setPrincipal(Principal.newBuilder().addCustomers("acme").addScopes("commands:publish"))
                    .setMessage(Message.newBuilder()
                            .setMsgId("m-" + i)
                            .setType(MessageType.CONFIG_UPDATE)
                            .setPayload(ByteString.copyFrom(new byte[MESSAGE_BYTES])))
                    .build());
        }
    }
}
