package io.sallyport.local.capacity;

/**
 * What sensors send, on average over a day. Decimal units throughout: 1 MB is 10^6 bytes, 32 KB are 32,000.
 *
 * @param eventBytes of one event
 */
public record Load(long sensors, double eventsPerSensorAndDay, double eventBytes) {
    private static final double SECONDS_PER_DAY = 86_400;
    /** What one partition carries with room for catching up. */
    public static final double PARTITION_BYTES_PER_S = 25e6;

    public Load {
        if (sensors < 1 || !(eventsPerSensorAndDay > 0) || !(eventBytes > 0)) {
            throw new IllegalArgumentException("sensors, events and their size must be above zero");
        }
    }

    public double eventsPerS() {
        return sensors * eventsPerSensorAndDay / SECONDS_PER_DAY;
    }

    public double bytesPerS() {
        return eventsPerS() * eventBytes;
    }

    /** The least that carries the average; two or three times as many leave room for peaks and growth. */
    public long partitions() {
        return (long) Math.ceil(bytesPerS() / PARTITION_BYTES_PER_S);
    }
}
