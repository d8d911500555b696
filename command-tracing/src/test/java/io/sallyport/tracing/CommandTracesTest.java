package io.sallyport.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.trace.v1.Span;
import io.sallyport.envelope.identity.MessageKey;
import java.net.URI;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class CommandTracesTest {
    private static final MessageKey MESSAGE = new MessageKey("acme", "isolate-1");

    @Test
    void shouldMakeOneTreeOfWhatSeveralServicesSaw() {
        try (var collector = new Collector()) {
            var all = new TracingSettings(collector.endpoint(), 1);
            try (var fanout = new CommandTraces(all, "fanout-service", 0);
                    var router = new CommandTraces(all, "command-router", 0);
                    var gateway = new CommandTraces(all, "session-service", 1)) {
                fanout.published(MESSAGE, 1_000, 4_000, "accepted", 2);
                router.queued(MESSAGE, "s-1", 4_000, 9_000);
                gateway.handedOver(MESSAGE, "s-1", 9_000, 11_000);
                router.answered(MESSAGE, "s-1", 9_000, 15_000, "acked");
                router.queued(MESSAGE, "s-2", 4_000, 9_500);
            }
            assertThat(collector.spans()).hasSize(5);
            assertThat(collector.services())
                    .containsOnly("sallyport-fanout-service", "sallyport-command-router", "sallyport-session-service");
            assertThat(collector.spans().stream().map(Span::getTraceId).distinct())
                    .hasSize(1);
            assertThat(collector.spans().stream().map(Span::getSpanId).distinct())
                    .hasSize(5);
            Map<String, Span> first = collector.spans().stream()
                    .filter(span -> span.getAttributesList().stream()
                            .noneMatch(attribute ->
                                    attribute.getValue().getStringValue().equals("s-2")))
                    .collect(Collectors.toMap(Span::getName, Function.identity()));
            assertThat(first.get("publish").getParentSpanId().isEmpty()).isTrue();
            assertThat(first.get("queue").getParentSpanId())
                    .isEqualTo(first.get("publish").getSpanId());
            assertThat(first.get("hand over").getParentSpanId())
                    .isEqualTo(first.get("queue").getSpanId());
            assertThat(first.get("answer").getParentSpanId())
                    .isEqualTo(first.get("queue").getSpanId());
            assertThat(first.get("answer").getStartTimeUnixNano()).isEqualTo(9_000_000);
            assertThat(first.get("answer").getEndTimeUnixNano()).isEqualTo(15_000_000);
        }
    }

    @Test
    void shouldGiveAStepThatIsDoneAgainTheSameIdAndAnotherTenantAnotherTrace() {
        var ids = new TraceIds(MESSAGE);
        assertThat(new TraceIds(MESSAGE).spanId("queue", "s-1")).isEqualTo(ids.spanId("queue", "s-1"));
        assertThat(ids.spanId("queue", "s-1")).isNotEqualTo(ids.spanId("answer", "s-1"));
        assertThat(new TraceIds(new MessageKey("globex", "isolate-1")).traceId())
                .isNotEqualTo(ids.traceId());
        assertThat(ids.traceId()).hasSize(32);
        assertThat(ids.spanId("publish")).hasSize(16);
    }

    @Test
    void shouldTraceTheShareThatWasAskedFor() {
        long traced = IntStream.range(0, 10_000)
                .filter(i -> new TraceIds(new MessageKey("acme", "m-" + i)).isWithin(0.1))
                .count();
        assertThat(traced).isBetween(800L, 1_200L);
        assertThat(new TraceIds(MESSAGE).isWithin(0)).isFalse();
        assertThat(new TraceIds(MESSAGE).isWithin(1)).isTrue();
        assertThat(CommandTraces.NONE.isSampled(MESSAGE)).isFalse();
    }

    @Test
    void shouldNotHoldUpItsCallerWhereNoCollectorAnswers() {
        var nowhere = new TracingSettings(URI.create("http://127.0.0.1:9/v1/traces"), 1);
        var traces = new CommandTraces(nowhere, "fanout-service", 0);
        for (int i = 0; i < 10_000; i++) {
            traces.queued(MESSAGE, "s-" + i, 1, 2);
        }
        traces.close();
        assertThat(traces.isSampled(MESSAGE)).isTrue();
    }

    @Test
    void shouldReadItsKeysAndRefuseOthers() {
        var environment = new MockEnvironment()
                .withProperty("sallyport.tracing.endpoint", "http://127.0.0.1:4318/v1/traces")
                .withProperty("sallyport.tracing.share", "0.5");
        assertThat(TracingKeys.read(environment))
                .isEqualTo(new TracingSettings(URI.create("http://127.0.0.1:4318/v1/traces"), 0.5));
        assertThat(TracingKeys.read(new MockEnvironment())).isEqualTo(new TracingSettings(null, 0.01));
        environment.withProperty("sallyport.tracing.shares", "1");
        assertThatThrownBy(() -> TracingKeys.read(environment)).hasStackTraceContaining("shares");
    }

    @Test
    void shouldRefuseSettingsThatMakeNoSense() {
        assertThatThrownBy(() -> new TracingSettings(URI.create("ftp://collector"), 0.1))
                .hasMessageContaining("endpoint");
        assertThatThrownBy(() -> new TracingSettings(null, 1.5)).hasMessageContaining("share");
        assertThatThrownBy(() -> new TracingSettings(null, Double.NaN)).hasMessageContaining("share");
    }
}
