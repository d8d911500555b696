package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.RawLog;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Memory is bounded by not reading; nobody is refused for it, and neighbours do not notice. */
class BackpressureIT {
    private static final int EVENT_BYTES = 60_000;
    private static final int EVENTS = 15;

    private static byte[] batch(int number) {
        long from = 1 + (long) number * EVENTS;
        return Wire.batch(1, number, from, from + EVENTS - 1, EVENT_BYTES);
    }

    private static Thread sending(SensorSocket sensor, int batches, AtomicBoolean done) {
        var thread = new Thread(() -> {
            try {
                for (int i = 0; i < batches; i++) {
                    sensor.send(FrameType.BATCH, batch(i));
                }
                done.set(true);
            } catch (IOException e) {
                // The test is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void confirmAll(TestGateway gateway, List<FakeRawLog.Appended> done) {
        for (FakeRawLog.Appended record : gateway.log.records(RawKind.BATCH)) {
            if (!done.contains(record)) {
                done.add(record);
                record.whenDone().done(RawLog.Result.DURABLE);
            }
        }
    }

    @Test
    void shouldStopReadingAConnectionAndGoOnWhenItsBytesAreDurable() throws Exception {
        var settings = TestGateway.with();
        settings.memory = TestGateway.memory(64 << 20, 3 << 20, 64 << 20);
        settings.keepaliveMs = 400;
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("b-1");
                SensorSocket neighbour = gateway.session("b-2")) {
            gateway.log.hold();
            var allSent = new AtomicBoolean();
            int batches = 30;
            sending(sensor, batches, allSent);
            // Not reading, the gateway gives a sign of life that acknowledges nothing.
            Ack throttled = sensor.readAck();
            assertThat(throttled.watermark()).isZero();
            assertThat(throttled.throttleMs()).isPositive();
            assertThat(sensor.readAck()).isEqualTo(throttled);
            int taken = gateway.log.records(RawKind.BATCH).size();
            assertThat(taken).isBetween(3, 5);
            assertThat(allSent).isFalse();
            assertThat(gateway.gauge("sallyport.memory.inflight")).isLessThan(5 << 20);
            neighbour.send(FrameType.PING, new byte[] {1});
            assertThat(neighbour.readPastPings(FrameType.PONG)).hasSize(1);

            var done = new ArrayList<FakeRawLog.Appended>();
            Awaitility.await().until(() -> {
                confirmAll(gateway, done);
                return done.size() == batches;
            });
            sensor.readAckUpTo((long) batches * EVENTS);
            Awaitility.await().until(() -> gateway.gauge("sallyport.memory.inflight") == 0);
            List<byte[]> values = gateway.log.records(RawKind.BATCH).stream()
                    .map(FakeRawLog.Appended::value)
                    .toList();
            for (int i = 0; i < batches; i++) {
                assertThat(values.get(i)).as("order of batch " + i).isEqualTo(batch(i));
            }
        }
    }

    @Test
    void shouldBoundTheNodeAndWakeEveryConnectionAgain() throws Exception {
        var settings = TestGateway.with();
        settings.memory = TestGateway.memory(4 << 20, 4 << 20, 64 << 20);
        try (TestGateway gateway = settings.start()) {
            gateway.log.hold();
            var sensors = new ArrayList<SensorSocket>();
            var sent = new ArrayList<AtomicBoolean>();
            int batches = 4;
            for (int i = 0; i < 6; i++) {
                SensorSocket sensor = gateway.session("n-" + i);
                sensors.add(sensor);
                sent.add(new AtomicBoolean());
                sending(sensor, batches, sent.get(i));
            }
            Awaitility.await().until(() -> gateway.gauge("sallyport.memory.inflight") >= 4 << 20);
            // Each connection may have had one read under way when the budget was used up.
            assertThat(gateway.gauge("sallyport.memory.inflight")).isLessThan(12 << 20);
            var done = new ArrayList<FakeRawLog.Appended>();
            Awaitility.await().until(() -> {
                confirmAll(gateway, done);
                return done.size() == 6 * batches;
            });
            for (SensorSocket sensor : sensors) {
                sensor.readAckUpTo((long) batches * EVENTS);
                sensor.close();
            }
        }
    }

    @Test
    void shouldEndASensorThatDoesNotReadAndKeepItsMemoryBounded() throws Exception {
        var settings = TestGateway.with();
        settings.stallTimeoutMs = 1_500;
        try (TestGateway gateway = settings.start();
                SensorSocket control = gateway.session("ctl");
                SensorSocket deaf = SensorSocket.connect(
                        gateway.port("token"), TestPki.shared().client(null), 4_096)) {
            deaf.start(Wire.start("acme", "deaf")
                    .setToken(TestPki.shared().token("acme", "deaf"))
                    .build());
            long session = gateway.authority.newestSessionId(new SensorKey("acme", "deaf"));
            int pushed = 0;
            while (gateway.counted("sallyport.link.notes", "kind", "push_not_writable") == 0) {
                gateway.commands.push(SessionPush.newBuilder()
                        .setCustomerId("acme")
                        .setSensorId("deaf")
                        .setSessionId(session)
                        .setPrincipal(
                                Principal.newBuilder().addCustomers("acme").addScopes("commands:publish"))
                        .setMessage(Message.newBuilder()
                                .setMsgId("m-" + pushed++)
                                .setType(MessageType.CONFIG_UPDATE)
                                .setPayload(ByteString.copyFrom(new byte[4_096])))
                        .build());
            }
            // What is not writable is not handed over, however much is pushed.
            assertThat(gateway.gauge("sallyport.memory.direct")).isLessThan(64 << 20);
            control.send(FrameType.PING, new byte[0]);
            control.read(FrameType.PONG);
            Awaitility.await().until(() -> gateway.counted("sallyport.link.rejects", "code", "SLOW_CONSUMER") == 1);
            Awaitility.await().until(() -> gateway.sessions() == 1);
        }
    }

    /** PINGs without end to a sensor that reads nothing: the answers do not pile up. */
    @Test
    void shouldNotPileUpAnswers() throws Exception {
        var settings = TestGateway.with();
        settings.stallTimeoutMs = 1_500;
        try (TestGateway gateway = settings.start();
                SensorSocket deaf = SensorSocket.connect(
                        gateway.port("token"), TestPki.shared().client(null), 4_096)) {
            deaf.start(Wire.start("acme", "deaf")
                    .setToken(TestPki.shared().token("acme", "deaf"))
                    .build());
            byte[] ping = Wire.frame(FrameType.PING, new byte[64]);
            byte[] many = new byte[ping.length * 1_000];
            for (int i = 0; i < 1_000; i++) {
                System.arraycopy(ping, 0, many, i * ping.length, ping.length);
            }
            var sender = new Thread(() -> {
                try {
                    while (true) {
                        deaf.raw(many);
                    }
                } catch (IOException e) {
                    // Ended by the gateway, as it should.
                }
            });
            sender.setDaemon(true);
            sender.start();
            Awaitility.await().until(() -> gateway.counted("sallyport.link.rejects", "code", "SLOW_CONSUMER") == 1);
            assertThat(gateway.gauge("sallyport.memory.unfinished")).isLessThan(2 << 20);
            assertThat(gateway.gauge("sallyport.memory.direct")).isLessThan(64 << 20);
            sender.join(20_000);
            assertThat(sender.isAlive()).isFalse();
        }
    }

    /** Many connections that each hold a frame back cannot use up the node's memory. */
    @Test
    void shouldEndTheOldestUnfinishedFrames() throws Exception {
        var settings = TestGateway.with();
        settings.memory = TestGateway.memory(64 << 20, 4 << 20, 2 << 20);
        try (TestGateway gateway = settings.start();
                SensorSocket control = gateway.session("ctl")) {
            byte[] frame = Wire.frame(FrameType.BATCH, batch(0));
            var slow = new ArrayList<SensorSocket>();
            for (int i = 0; i < 8; i++) {
                SensorSocket sensor = gateway.session("slow-" + i);
                slow.add(sensor);
                try {
                    sensor.raw(java.util.Arrays.copyOf(frame, frame.length - 10));
                } catch (SocketException e) {
                    // Ended while it was sending.
                }
            }
            assertThat(slow.get(0).readReject().getCode().name()).isEqualTo("ADMISSION_LIMITED");
            assertThat(gateway.gauge("sallyport.memory.unfinished")).isLessThanOrEqualTo(3 << 20);
            control.send(FrameType.BATCH, Wire.batch(1, 1, 1, 2, 1));
            control.readAckUpTo(2);
            for (SensorSocket sensor : slow) {
                sensor.close();
            }
            Awaitility.await().until(() -> gateway.gauge("sallyport.memory.unfinished") == 0);
        }
    }
}
