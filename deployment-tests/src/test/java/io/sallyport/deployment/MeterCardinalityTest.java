package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.metrics.ExportMetrics;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.session.core.Note;
import io.sallyport.session.metrics.GatewayMetrics;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** However many sensors, customers and types a service has met: what it shows of them on its page is bounded. */
class MeterCardinalityTest {
    private static final int MANY = 3_000;
    /** Customers with series of their own, and the one that the rest share. */
    private static final int CUSTOMERS = 1_001;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static String customer(int i) {
        return "cardinal-" + i;
    }

    private static SensorKey sensor(int i) {
        return new SensorKey(customer(i), "rare-sensor-" + i);
    }

    /** @param perCustomer series of one meter that a customer may have, such as one for each state */
    private void shouldBeBounded(int perCustomer, IntConsumer happens) {
        for (int i = 0; i < MANY; i++) {
            happens.accept(i);
        }
        Map<String, Long> series = registry.getMeters().stream()
                .collect(Collectors.groupingBy(meter -> meter.getId().getName(), Collectors.counting()));
        assertThat(series).isNotEmpty();
        series.forEach((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo((long) CUSTOMERS * perCustomer));
        for (Meter meter : registry.getMeters()) {
            meter.getId()
                    .getTags()
                    .forEach(tag -> assertThat(tag.getValue())
                            .as(meter.getId().toString())
                            .doesNotContain("rare-sensor"));
        }
    }

    @Test
    void shouldBoundTheGateways() {
        var metrics = new GatewayMetrics(registry);
        // Five buckets of what sensors say they still hold.
        shouldBeBounded(5, i -> {
            metrics.customer(customer(i)).admitted(1, 1, 1);
            metrics.customer(customer(i)).spool(1, 1);
            metrics.alert(io.sallyport.session.core.AlertKind.SPOOL_DEEP, sensor(i), "deep");
            metrics.noted(Note.SILENT_TOO_LONG);
        });
    }

    @Test
    void shouldBoundTheNormalizers() {
        var metrics = new NormalizerMetrics(registry, new Alerts(registry));
        shouldBeBounded(1, i -> {
            var event = new Effect.Event(i + 1L, 60_000 - i, 1, 0, ByteBuffer.allocate(0), new byte[32]);
            var commit = new Effect.Commit(new Effect.Admission(sensor(i), 1, 0, false, false), 0, event, true);
            metrics.decided(new Decision(List.of(commit), new Decision.Tally(1, 1, 1)));
            for (Reason reason : List.of(Reason.UNREGISTERED_TYPE, Reason.UNDECODABLE, Reason.IDENTITY_COLLISION)) {
                metrics.marked(CoverageMarker.newBuilder()
                        .setCustomerId(customer(i))
                        .setSensorId(sensor(i).sensorId())
                        .setReason(reason)
                        .setDetail("type " + i)
                        .build());
                metrics.quarantined(reason);
            }
        });
    }

    @Test
    void shouldBoundTheRouters() {
        var meters = new RouterMeters(registry);
        // Registered types are few; what is not registered is one more.
        shouldBeBounded(257, i -> {
            QueueEntry entry = QueueEntry.newBuilder()
                    .setCustomerId(customer(i))
                    .setType(1 + i)
                    .build();
            meters.reached(TargetState.ACKED, entry, 1);
            meters.pushed(io.sallyport.router.core.Effect.Path.LIVE, entry, true, 1);
            meters.depthChanged(customer(i), 1);
            meters.queueIs(i);
            meters.alert(
                    io.sallyport.router.core.AlertKind.FORGED_IDENTITY,
                    sensor(i).toString());
        });
        assertThat(registry.find("sallyport.command.queue.depth").gauges()).hasSize(CUSTOMERS);
        assertThat(registry.find("sallyport.command.push.delay").timers()).hasSizeLessThanOrEqualTo(257);
    }

    @Test
    void shouldBoundTheExports() {
        var metrics = new ExportMetrics(registry, new Alerts(registry));
        shouldBeBounded(
                1,
                i -> metrics.committed(new Manifest(
                        ManifestKind.EXPORT,
                        "cell",
                        i % 8,
                        i,
                        Manifest.GENESIS,
                        "",
                        0,
                        List.of(),
                        1,
                        List.of(),
                        List.of(),
                        List.of(new FileEntry(
                                "customer=" + customer(i) + "/" + i, customer(i), "2031-01-01", 1, 1, "")),
                        List.of(),
                        Manifest.ProofFile.NONE,
                        null,
                        null)));
    }

    @Test
    void shouldBoundTheRefusalsOfPublishing() {
        var refusals = new io.sallyport.fanout.publishing.Refusals(registry);
        var codes = io.sallyport.fanout.core.ErrorCode.values();
        shouldBeBounded(
                1,
                i -> refusals.count(
                        "rest", new io.sallyport.fanout.core.Refusal(codes[i % codes.length], customer(i), i)));
        assertThat(registry.getMeters()).hasSizeLessThanOrEqualTo(codes.length);
        registry.getMeters()
                .forEach(meter -> assertThat(meter.getId().toString()).doesNotContain("cardinal-"));
    }
}
