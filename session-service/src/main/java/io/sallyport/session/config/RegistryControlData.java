package io.sallyport.session.config;

import io.sallyport.session.core.CellDemand;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.core.CustomerTerms;
import io.sallyport.session.core.DailyUsage;
import io.sallyport.session.http.HttpCustomers;
import java.util.Optional;

/** Who is a customer from the registry, everything else from the control topics. */
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
    public CustomerTerms terms(String customerId) {
        return topics.terms(customerId);
    }

    @Override
    public DailyUsage usage() {
        return topics.usage();
    }

    @Override
    public CellDemand demand() {
        return topics.demand();
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return topics.movedTo(customerId);
    }
}
