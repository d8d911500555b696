package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.netty.MemoryLimits;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** One customer over its rate, or with all its memory in use, and another that does not notice. */
class FlowControlIT {

    private static SensorSocket globex(TestGateway gateway, String sensor) throws IOException {
        SensorSocket socket = gateway.connect();
        socket.start(Wire.start("globex", sensor)
                .setToken(TestPki.shared().token("globex", sensor))
                .build());
        return socket;
    }

    private static void daemon(SensorSocket sensor, int batches) {
        var thread = new Thread(() -> {
            try {
                for (int i = 0; i < batches; i++) {
                    sensor.send(FrameType.BATCH, Wire.batch(1, i, 1 + i * 10L, 10 + i * 10L, 60_000));
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Test
    void shouldAskToWaitAndThenNotRead() throws Exception {
        var settings = TestGateway.with();
        settings.customerRate = new TenantFlow.Rate(1_000_000, 1_000_000);
        settings.drainDeadlineMs = 500;
        try (TestGateway gateway = settings.start();
                SensorSocket greedy = gateway.session("f-1");
                SensorSocket neighbour = globex(gateway, "f-2")) {
            // 0.6 MB each: the first is within the burst, of the others there is more than can be waited for.
            daemon(greedy, 20);
            int throttleMs = 0;
            while (throttleMs == 0) {
                throttleMs = greedy.readAck().throttleMs();
            }
            assertThat(throttleMs).isBetween(1, 60_000);
            // 12 MB of which one is saved up: read as fast as it comes, all would be there in a moment.
            Awaitility.await()
                    .during(Duration.ofMillis(1_500))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> gateway.log.records(RawKind.BATCH).size() < 20);
            neighbour.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            assertThat(neighbour.readAck()).isEqualTo(new io.sallyport.envelope.link.Ack(1, 5, 0));
            assertThat(gateway.log.records(RawKind.BATCH).size()).isLessThan(20);
            // Before the sockets: one that is closed while another thread writes to it waits for that thread.
            gateway.stop();
        }
    }

    @Test
    void shouldCountWhatABlockDecompressesTo() throws Exception {
        var settings = TestGateway.with();
        settings.customerRate = new TenantFlow.Rate(1_000_000, 1_000_000);
        try (TestGateway gateway = settings.start();
                SensorSocket sensor = gateway.session("f-3")) {
            // 3 MB of zeroes in a few hundred bytes.
            sensor.send(FrameType.BATCH, Wire.zstdBatch(1, 1, 1, 50, 60_000));
            assertThat(sensor.readAck().throttleMs()).isBetween(1_000, 2_100);
        }
    }

    @Test
    void shouldBoundTheMemoryOfACustomerAndOfAShard() throws Exception {
        var settings = TestGateway.with();
        settings.drainDeadlineMs = 500;
        settings.memory = new MemoryLimits(64 << 20, 3 << 20, 64 << 20, 2 << 20, 64 << 20);
        try (TestGateway gateway = settings.start();
                SensorSocket one = gateway.session("f-4");
                SensorSocket two = gateway.session("f-5");
                SensorSocket three = gateway.session("f-6");
                SensorSocket neighbour = globex(gateway, "f-7")) {
            gateway.log.hold();
            daemon(one, 20);
            daemon(two, 20);
            daemon(three, 20);
            Awaitility.await().until(() -> gateway.gauge("sallyport.memory.inflight") >= 3 << 20);
            neighbour.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 1));
            Awaitility.await()
                    .until(() -> gateway.log.records(RawKind.BATCH).stream()
                            .anyMatch(record ->
                                    record.route().sensor().customerId().equals("globex")));
            // Each connection may have had a batch under way when the customer's budget was used up.
            assertThat(gateway.gauge("sallyport.memory.inflight")).isLessThan(6 << 20);
            gateway.stop();
        }
    }
}
