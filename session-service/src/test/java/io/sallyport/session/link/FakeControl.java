package io.sallyport.session.link;

import io.sallyport.session.core.CellDemand;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.core.CustomerTerms;
import io.sallyport.session.core.DailyUsage;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Control data that a test sets; {@code acme} and {@code globex} exist. */
final class FakeControl implements ControlData {
    volatile boolean loaded = true;
    final Set<String> active = ConcurrentHashMap.newKeySet();
    final Set<String> undecided = ConcurrentHashMap.newKeySet();
    final Map<String, CustomerTerms> terms = new ConcurrentHashMap<>();
    final DailyUsage usage = new DailyUsage();
    final CellDemand demand = new CellDemand(3);
    final Map<String, String> moved = new ConcurrentHashMap<>();

    FakeControl() {
        active.add("acme");
        active.add("globex");
    }

    @Override
    public boolean isLoaded() {
        return loaded;
    }

    @Override
    public CustomerStanding standing(String customerId) {
        if (undecided.contains(customerId)) {
            return CustomerStanding.UNDECIDED;
        }
        return active.contains(customerId) ? CustomerStanding.ACTIVE : CustomerStanding.INACTIVE;
    }

    @Override
    public CustomerTerms terms(String customerId) {
        return terms.getOrDefault(customerId, CustomerTerms.NONE);
    }

    @Override
    public DailyUsage usage() {
        return usage;
    }

    @Override
    public CellDemand demand() {
        return demand;
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return Optional.ofNullable(moved.get(customerId));
    }
}
