package io.sallyport.session.config;

import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.http.HttpCustomers;
import java.util.Optional;

/** Customers from the registry, everything else from the control topics. */
final class RegistryControlData implements ControlData {
    private final HttpCustomers customers;
    private final ControlData topics;

    RegistryControlData(HttpCustomers customers, ControlData topics) {
        this.customers = customers;
        this.topics = topics;
    }

    @Override
    public boolean isLoaded() {
        return topics.isLoaded();
    }

    @Override
    public CustomerStanding standing(String customerId) {
        return customers.standing(customerId);
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return topics.movedTo(customerId);
    }
}
