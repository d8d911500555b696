package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.session.core.SensorRoute;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.netty.MemoryLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;
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

    private static final int MB = 1 << 20;

    @Test
    void shouldBoundTheMemoryOfACustomer() throws Exception {
        shouldBound(new MemoryLimits(64 * MB, 3 * MB, 64 * MB, 2 * MB, 64 * MB), "acme", "globex", 0);
    }

    @Test
    void shouldBoundTheMemoryOfAShard() throws Exception {
        shouldBound(new MemoryLimits(64 * MB, 64 * MB, 3 * MB, 2 * MB, 64 * MB), "acme", "acme", 1);
    }

    /** Eight sensors of shard 0 that would hold 19 MB, 2.4 each, and a neighbour that shares nothing with them. */
    private static void shouldBound(MemoryLimits memory, String customer, String other, int otherShard)
            throws Exception {
        var settings = TestGateway.with();
        settings.drainDeadlineMs = 500;
        settings.memory = memory;
        try (TestGateway gateway = settings.start()) {
            gateway.log.hold();
            for (int i = 0; i < 8; i++) {
                daemon(session(gateway, customer, 0, i), 20);
            }
            // What there is to be read is read: the sum stands still.
            var seen = new double[1];
            Awaitility.await().during(Duration.ofMillis(1_000)).until(() -> {
                double before = seen[0];
                seen[0] = gateway.gauge("sallyport.memory.inflight");
                return seen[0] == before && before >= 3 * MB;
            });
            // Each connection may have had one batch of 0.6 MB under way when the bound was reached.
            assertThat(seen[0]).isLessThan(9 * MB);
            SensorSocket neighbour = session(gateway, other, otherShard, 8);
            neighbour.send(FrameType.BATCH, Wire.batch(1, 77, 1, 5, 1));
            Awaitility.await()
                    .until(() -> gateway.log.records(RawKind.BATCH).stream()
                            .anyMatch(record -> record.value().length < 1_000));
            gateway.stop();
        }
    }

    private static SensorSocket session(TestGateway gateway, String customer, int shard, int number)
            throws IOException {
        String name = IntStream.iterate(number, i -> i + 100)
                .mapToObj(i -> "m-" + i)
                .filter(id -> gateway.log.shard(SensorRoute.of(new SensorKey(customer, id))) == shard)
                .findFirst()
                .orElseThrow();
        SensorSocket socket = gateway.connect();
        socket.start(Wire.start(customer, name)
                .setToken(TestPki.shared().token(customer, name))
                .build());
        return socket;
    }
}
