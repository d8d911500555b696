package io.sallyport.fanout.core;

import java.util.List;
import java.util.Map;

/**
 * What is known of one sensor now. A text that it never told is empty.
 *
 * @param lastSeenUs 0: never
 */
public record SensorView(
        String sensorId,
        boolean connected,
        long lastSeenUs,
        Map<Field, String> texts,
        List<String> capabilities,
        Map<String, String> tags) {

    static SensorView of(SensorTable table, int row, NodeLife life) {
        var texts = new java.util.EnumMap<Field, String>(Field.class);
        for (Field field : Field.values()) {
            texts.put(field, table.text(row, field));
        }
        return new SensorView(
                table.id(row),
                table.isConnected(row, life),
                table.lastSeenUs(row, life),
                texts,
                table.capabilities(row),
                table.tags(row));
    }

    public String text(Field field) {
        return texts.getOrDefault(field, "");
    }
}
