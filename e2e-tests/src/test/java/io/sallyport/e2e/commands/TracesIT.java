package io.sallyport.e2e.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.sallyport.e2e.pipeline.ProcessCell;
import io.sallyport.sim.fleet.Fleet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the collector is told of one command by the three services that it passes. */
@ExtendWith(ProcessCell.Shared.class)
class TracesIT {
    private final ProcessCell cell;

    TracesIT(ProcessCell cell) {
        this.cell = cell;
    }

    @Test
    void shouldTellOfACommandFromPublishToAnswerAsOneTree() throws Exception {
        var tenant = new Tenant(cell, "cmd-traced");
        try (Fleet fleet = tenant.fleet("s-", 1, new Taken())) {
            tenant.publish(Tenant.message("traced-1", "CONFIG_UPDATE", Tenant.sensor("s-0")));
            tenant.awaitCounts("traced-1", Map.of("acked", 1L));
            assertThat(fleet.failure()).isEmpty();
        }
        Awaitility.await()
                .atMost(Tenant.PATIENCE)
                .untilAsserted(() -> assertThat(spans()).hasSize(4));
        Map<String, Span> steps = spans().stream().collect(Collectors.toMap(Span::getName, Function.identity()));
        assertThat(steps).containsOnlyKeys("publish", "queue", "hand over", "answer");
        assertThat(spans().stream().map(Span::getTraceId).distinct()).hasSize(1);
        assertThat(steps.get("queue").getParentSpanId())
                .isEqualTo(steps.get("publish").getSpanId());
        assertThat(steps.get("answer").getParentSpanId())
                .isEqualTo(steps.get("queue").getSpanId());
        assertThat(steps.get("hand over").getParentSpanId())
                .isEqualTo(steps.get("queue").getSpanId());
        assertThat(steps.get("answer").getEndTimeUnixNano())
                .isGreaterThanOrEqualTo(steps.get("publish").getStartTimeUnixNano());
    }

    private List<Span> spans() {
        return cell.collector().spans().stream()
                .filter(span -> span.getAttributesList().stream()
                        .anyMatch(attribute ->
                                attribute.getValue().getStringValue().equals("cmd-traced")))
                .toList();
    }
}
