package io.sallyport.local.capacity;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * What storage costs. As a file: JSON with {@code currency}, {@code log_gb_month} and {@code object_gb_month}.
 *
 * @param logGbMonth 10^9 bytes on a broker's disk for a month
 * @param objectGbMonth the same in an object store
 */
public record Prices(String currency, double logGbMonth, double objectGbMonth) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();
    private static final double GB = 1e9;

    public Prices {
        if (logGbMonth < 0 || objectGbMonth < 0) {
            throw new IllegalArgumentException("a price is not below zero");
        }
    }

    /** An example to put one's own prices into. */
    public static Prices example() throws IOException {
        try (InputStream in = Prices.class.getResourceAsStream("prices.json")) {
            return read(new String(in.readAllBytes(), StandardCharsets.UTF_8), "prices.json");
        }
    }

    /** @throws IllegalArgumentException where the file holds no prices */
    public static Prices read(Path file) throws IOException {
        return read(Files.readString(file), file.toString());
    }

    private static Prices read(String json, String name) {
        try {
            return JSON.readValue(json, Prices.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    name + " must be JSON with currency, log_gb_month and object_gb_month", e);
        }
    }

    public double perMonth(Tier tier, Load load) {
        if (tier.isPart()) {
            return 0;
        }
        return tier.bytes(load) / GB * (tier.medium() == Tier.Medium.LOG ? logGbMonth : objectGbMonth);
    }
}
