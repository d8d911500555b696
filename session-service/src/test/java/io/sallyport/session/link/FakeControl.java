package io.sallyport.session.link;

import io.sallyport.session.core.ControlData;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Control data that a test sets; {@code acme} and {@code globex} exist. */
final class FakeControl implements ControlData {
    volatile boolean loaded = true;
    final Set<String> active = ConcurrentHashMap.newKeySet();
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
    public boolean isActive(String customerId) {
        return active.contains(customerId);
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return Optional.ofNullable(moved.get(customerId));
    }
}
