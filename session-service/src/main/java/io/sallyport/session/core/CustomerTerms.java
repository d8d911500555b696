package io.sallyport.session.core;

/**
 * What a customer's sensors may bring in, decompressed, as its record says; 0 stands for "not said".
 *
 * @param bytesPerSecond on all nodes together
 * @param eventsPerSecond on all nodes together
 * @param bytesPerDay on all nodes together, by days of UTC
 * @param refusedOverQuota whether its sensors are refused for the rest of the day, not just slowed
 */
public record CustomerTerms(long bytesPerSecond, long eventsPerSecond, long bytesPerDay, boolean refusedOverQuota) {
    public static final CustomerTerms NONE = new CustomerTerms(0, 0, 0, false);

    public boolean isOverQuota(long usedBytesToday) {
        return bytesPerDay > 0 && usedBytesToday >= bytesPerDay;
    }

    /**
     * The rate of now, on all nodes together.
     *
     * @param usual of a customer that says nothing
     * @param floorBytesPerSecond what is left to one that is over its quota
     */
    public TenantFlow.Rate rate(TenantFlow.Rate usual, long floorBytesPerSecond, long usedBytesToday) {
        long bytes = bytesPerSecond > 0 ? bytesPerSecond : usual.bytesPerSecond();
        long events = eventsPerSecond > 0 ? eventsPerSecond : usual.eventsPerSecond();
        return new TenantFlow.Rate(isOverQuota(usedBytesToday) ? Math.min(bytes, floorBytesPerSecond) : bytes, events);
    }
}
