package io.sallyport.fanout.core;

import java.util.List;

/**
 * The targets of a message, each once, in the order in which their entries are written. Those that are connected come
 * first: they would otherwise wait for the entries of all that are away.
 *
 * @param sensorIds in chunks of {@link FanoutLimits#CHUNK_SENSORS}
 */
public record Plan(List<String> sensorIds) {
    public Plan {
        sensorIds = List.copyOf(sensorIds);
    }

    public int chunks() {
        return (sensorIds.size() + FanoutLimits.CHUNK_SENSORS - 1) / FanoutLimits.CHUNK_SENSORS;
    }

    public List<String> chunk(int chunk) {
        int from = chunk * FanoutLimits.CHUNK_SENSORS;
        return sensorIds.subList(from, Math.min(from + FanoutLimits.CHUNK_SENSORS, sensorIds.size()));
    }
}
