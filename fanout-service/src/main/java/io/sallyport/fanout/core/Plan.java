package io.sallyport.fanout.core;

import java.util.List;

/**
 * The targets of a message, each once, in the order in which their entries are written. Those that are connected come
 * first: they would otherwise wait for the entries of all that are away.
 *
 * @param sensorIds in chunks of {@link FanoutLimits#CHUNK_SENSORS}
 * @param connected how many of them, from the first one on, were connected when the plan was made
 */
public record Plan(List<String> sensorIds, int connected) {
    public Plan {
        sensorIds = List.copyOf(sensorIds);
        if (connected < 0 || connected > sensorIds.size()) {
            throw new IllegalArgumentException("more sensors connected than planned for");
        }
    }

    public int chunks() {
        return chunks(sensorIds.size());
    }

    /** The first chunks, which have all sensors that are connected. */
    public int connectedChunks() {
        return chunks(connected);
    }

    private static int chunks(int sensors) {
        return (sensors + FanoutLimits.CHUNK_SENSORS - 1) / FanoutLimits.CHUNK_SENSORS;
    }

    public List<String> chunk(int chunk) {
        int from = chunk * FanoutLimits.CHUNK_SENSORS;
        return sensorIds.subList(from, Math.min(from + FanoutLimits.CHUNK_SENSORS, sensorIds.size()));
    }
}
