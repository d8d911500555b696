package io.sallyport.fanout;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.SensorSet;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.EndpointMetadata;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;

/** Prints how long selectors and a large plan take; run by hand, asserts nothing. */
final class FanoutBench {
    private static final List<String> SELECTORS = List.of(
            "os.family = linux",
            "os.family = linux and os.version >= 4.10 and not tag.site in (site-1, site-2)",
            "hostname = host-77777",
            "hostname > host-5 or tag.owner = owner-3",
            "last_seen < 1h and capability = isolate",
            "connected or ".repeat(200) + "connected");

    private FanoutBench() {}

    public static void main(String[] args) throws Exception {
        int sensors = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        selectors(sensors);
        plan(sensors);
        System.exit(0);
    }

    private static void selectors(int sensors) {
        var index = new MetadataIndex();
        for (int i = 0; i < sensors; i++) {
            index.describe(
                    new SensorKey("acme", "bench-" + i),
                    EndpointMetadata.newBuilder()
                            .setVersion(1)
                            .setAtUs(1)
                            .setHost(host(i))
                            .build());
        }
        var parser = new AntlrSelectorParser();
        for (int i = 0; i < 5; i++) {
            // A sensor that comes or goes costs the next look the order of all ids.
            index.describe(new SensorKey("acme", "new-" + i), EndpointMetadata.getDefaultInstance());
            long startNs = System.nanoTime();
            parser.parse("os.family = linux").then(selector -> index.select("acme", selector, 2));
            System.out.printf("after a new sensor: %.1f ms%n", (System.nanoTime() - startNs) / 1e6);
        }
        for (String text : SELECTORS) {
            var us = new long[30];
            int found = 0;
            for (int i = 0; i < us.length; i++) {
                long startNs = System.nanoTime();
                var answer = parser.parse(text).then(selector -> index.select("acme", selector, 2));
                us[i] = (System.nanoTime() - startNs) / 1_000;
                found = ((Answer.Given<SensorSet>) answer).value().size();
            }
            long first = us[0];
            Arrays.sort(us);
            System.out.printf(
                    "%d of %d: first %.1f ms, median %.1f ms, max %.1f ms: %.80s%n",
                    found, sensors, first / 1e3, us[us.length / 2] / 1e3, us[us.length - 1] / 1e3, text);
        }
    }

    private static void plan(int sensors) throws Exception {
        var dir = Files.createTempDirectory("fanout-bench");
        try (var log = new CommandLog();
                var fanout = RunningFanout.start(dir)) {
            String token = fanout.tokens.all("acme");
            for (int i = 0; i < sensors; i++) {
                log.sensor(new SensorKey("acme", "bench-" + i), 1, host(i));
            }
            log.flush();
            fanout.awaitSensors(token, "has(os.family)", sensors);
            for (int round = 1; round <= 3; round++) {
                String msgId = "bench-" + round;
                long startNs = System.nanoTime();
                var reply = fanout.post(
                        token,
                        "/v1/messages",
                        ApiCases.json("{'msg_id':'" + msgId
                                + "','type':'CONFIG_UPDATE','payload':'','target':{'selector':'has(os.family)'},'max_targets':"
                                + sensors + "}"));
                double decidedS = (System.nanoTime() - startNs) / 1e9;
                double entries = fanout.bean(io.micrometer.core.instrument.MeterRegistry.class)
                        .counter("sallyport.fanout.entries")
                        .count();
                while (entries < (double) round * sensors) {
                    Thread.sleep(5);
                    entries = fanout.bean(io.micrometer.core.instrument.MeterRegistry.class)
                            .counter("sallyport.fanout.entries")
                            .count();
                }
                System.out.printf(
                        "plan of %d: answered %d in %.2f s, all entries forwarded after %.2f s (%s)%n",
                        sensors,
                        reply.status(),
                        decidedS,
                        (System.nanoTime() - startNs) / 1e9,
                        TestBroker.shared().bootstrapServers());
            }
        }
    }

    private static HostMetadata host(int i) {
        return HostMetadata.newBuilder()
                .setHostname("host-" + i)
                .setOsFamily(i % 3 == 0 ? "windows" : "linux")
                .setOsVersion("4." + i % 40)
                .setAgentVersion("7." + i % 5)
                .addCapabilities(i % 2 == 0 ? "isolate" : "scan")
                .putTags("site", "site-" + i % 50)
                .putTags("owner", "owner-" + i % 1_000)
                .build();
    }
}
