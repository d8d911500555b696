package io.sallyport.sim.fleet;

import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Writes reports as JSON. */
public final class FleetReports {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private FleetReports() {}

    /** The fields of the report in snake_case, e.g. {@code "ack_latency_ms":{"p50":1.2,…}}. */
    public static String toJson(FleetReport report) {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(report);
    }
}
