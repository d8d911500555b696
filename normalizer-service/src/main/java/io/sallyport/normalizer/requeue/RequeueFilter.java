package io.sallyport.normalizer.requeue;

import io.sallyport.proto.log.v1.Quarantined;
import io.sallyport.proto.log.v1.Reason;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Which quarantined records are put back.
 *
 * @param customer only this customer's
 * @param sensor only this sensor's; ids are compared byte for byte
 * @param reasons only those refused for one of these, all of them {@link #MENDABLE}
 * @param partition only this partition of `quarantine`
 * @param fromOffset lowest offset there, inclusive
 * @param toOffset highest offset there, inclusive
 */
public record RequeueFilter(
        Optional<String> customer,
        Optional<String> sensor,
        Set<Reason> reasons,
        OptionalInt partition,
        long fromOffset,
        long toOffset) {

    /**
     * Reasons whose cause can go away. Content that met a committed identity, or an epoch that was given up, would only
     * be refused again.
     */
    public static final Set<Reason> MENDABLE =
            Set.copyOf(EnumSet.of(Reason.UNREGISTERED_TYPE, Reason.UNDECODABLE, Reason.EVENT_OVERSIZE));

    /** Everything that was refused for its type or could not be read. */
    public static final RequeueFilter ALL = new RequeueFilter(
            Optional.empty(),
            Optional.empty(),
            EnumSet.of(Reason.UNREGISTERED_TYPE, Reason.UNDECODABLE),
            OptionalInt.empty(),
            0,
            Long.MAX_VALUE);

    public RequeueFilter {
        reasons = Set.copyOf(reasons);
        if (reasons.isEmpty() || !MENDABLE.containsAll(reasons)) {
            throw new IllegalArgumentException("only content refused for one of " + MENDABLE + " can be put back");
        }
        if (fromOffset < 0 || toOffset < fromOffset) {
            throw new IllegalArgumentException("offsets are a range of numbers from 0");
        }
    }

    boolean matches(int atPartition, long offset, Quarantined record) {
        return (partition.isEmpty() || partition.getAsInt() == atPartition)
                && fromOffset <= offset
                && offset <= toOffset
                && reasons.contains(record.getReason())
                && customer.map(record.getCustomerId()::equals).orElse(true)
                && sensor.map(record.getSensorId()::equals).orElse(true);
    }
}
