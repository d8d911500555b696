package io.sallyport.fanout.core;

import java.util.List;
import java.util.Optional;

/** Stored membership lists. */
public interface SegmentSource {
    /** The members in the newest complete version; empty where the customer has no such segment. */
    Optional<List<String>> members(String customerId, String name);
}
