package io.sallyport.router;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.router.core.Entries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Prints deliveries per second and the time from an entry to its push; run by hand, asserts nothing. */
final class RouterBench {
    private RouterBench() {}

    public static void main(String[] args) throws Exception {
        int sensors = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
        String broker = TestBroker.shared().bootstrapServers();
        Path dir = Files.createTempDirectory("router-bench");
        try (var fleet = new TestFleet(broker);
                var router = new SpringApplicationBuilder(CommandRouterApplication.class)
                        .run(
                                "--spring.config.name=command-router",
                                "--server.port=0",
                                "--sallyport.router.bootstrap-servers=" + broker,
                                "--sallyport.router.state-dir=" + dir)) {
            latency(fleet);
            throughput(fleet, sensors);
        }
        System.exit(0);
    }

    private static void latency(TestFleet fleet) throws InterruptedException {
        var sensor = new SensorKey("acme", "bench-latency");
        fleet.connect(sensor, 0);
        Thread.sleep(5_000);
        var arrivedNs = new ConcurrentHashMap<String, Long>();
        fleet.answering(push -> {
            arrivedNs.put(push.getMessage().getMsgId(), System.nanoTime());
            return io.sallyport.proto.log.v1.CommandOutcome.COMMAND_ACKED;
        });
        int warmUp = 200;
        var us = new long[1_000];
        for (int i = 0; i < warmUp + us.length; i++) {
            String msgId = "bench-" + i;
            QueueEntry.Builder entry = Entries.entry(msgId, i + 1, MessageType.RESPONSE_ACTION);
            fleet.body("acme", msgId, "payload");
            long startNs = System.nanoTime();
            fleet.enter(sensor, entry);
            while (!arrivedNs.containsKey(msgId)) {
                Thread.onSpinWait();
                Thread.sleep(0, 100_000);
            }
            if (i >= warmUp) {
                us[i - warmUp] = (arrivedNs.get(msgId) - startNs) / 1_000;
            }
            Thread.sleep(5);
        }
        Arrays.sort(us);
        System.out.printf(
                "entry to gateway: p50 %.1f ms, p99 %.1f ms, max %.1f ms%n",
                us[us.length / 2] / 1e3, us[us.length * 99 / 100] / 1e3, us[us.length - 1] / 1e3);
    }

    private static void throughput(TestFleet fleet, int count) throws InterruptedException {
        fleet.answering(push -> io.sallyport.proto.log.v1.CommandOutcome.COMMAND_ACKED);
        List<SensorKey> sensors = TestFleet.sensors("bench-", count);
        sensors.forEach(sensor -> fleet.connect(sensor, Math.floorMod(sensor.hashCode(), 4)));
        fleet.flush();
        fleet.body("acme", "bench-all", "x".repeat(1_000));
        int before = fleet.distinctDeliveries();
        long startNs = System.nanoTime();
        sensors.forEach(
                sensor -> fleet.enter(sensor, Entries.entry("bench-all", 1_000_000, MessageType.THREAT_INTEL_UPDATE)));
        fleet.flush();
        double enteredS = (System.nanoTime() - startNs) / 1e9;
        while (fleet.distinctDeliveries() < before + count) {
            Thread.sleep(20);
        }
        double deliveredS = (System.nanoTime() - startNs) / 1e9;
        System.out.printf(
                "%d targets: entered in %.1f s, delivered in %.1f s, %.0f deliveries/s%n",
                count, enteredS, deliveredS, count / deliveredS);
    }
}
