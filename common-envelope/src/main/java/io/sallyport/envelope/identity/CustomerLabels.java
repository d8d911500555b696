package io.sallyport.envelope.identity;

import java.util.HashSet;
import java.util.Set;

/**
 * Which customers have series of their own among a process' metrics. A cell has about a hundred; but customers come and go
 * while a process runs, and a label that is never taken back may not grow with them. Thread-safe.
 */
public final class CustomerLabels {
    /** What all customers beyond the bound share. */
    public static final String OTHER = "other";

    private final int max;
    private final Set<String> own = new HashSet<>();

    /** With room for ten times the tenants of a cell. */
    public CustomerLabels() {
        this(1_000);
    }

    CustomerLabels(int max) {
        this.max = max;
    }

    /** The customer itself where it is one of the first that were asked for, otherwise {@link #OTHER}. */
    public synchronized String of(String customerId) {
        if (own.contains(customerId)) {
            return customerId;
        }
        if (own.size() >= max) {
            return OTHER;
        }
        own.add(customerId);
        return customerId;
    }
}
