package io.sallyport.fanout.publishing;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.Registry;

/** For which customer a call is, and whether its caller may make it. */
public final class Tenancy {
    private final Registry registry;
    private final Alerts alerts;

    public Tenancy(Registry registry, Alerts alerts) {
        this.registry = registry;
        this.alerts = alerts;
    }

    /**
     * @param named the customer that the request names; empty where it names none
     * @param scope that the call needs
     */
    public Answer<String> customer(Publisher publisher, String named, String scope) {
        if (!named.isEmpty() && !publisher.customers().contains(named)) {
            alerts.raise(
                    AlertKind.CROSS_TENANT,
                    publisher.subject() + " of " + publisher.customers() + " asked for customer " + named);
            return Answer.refused(ErrorCode.CROSS_TENANT.because("the token does not name this customer"));
        }
        if (!publisher.scopes().contains(scope)) {
            return Answer.refused(ErrorCode.MISSING_SCOPE.because("this needs the scope " + scope));
        }
        String customer = named;
        if (customer.isEmpty()) {
            if (publisher.customers().size() != 1) {
                return Answer.refused(ErrorCode.CUSTOMER_REQUIRED.because("customer_id is missing"));
            }
            customer = publisher.customers().iterator().next();
        }
        return registry.isActive(customer)
                ? Answer.of(customer)
                : Answer.refused(ErrorCode.UNKNOWN_CUSTOMER.because("the customer '" + customer + "' is not active"));
    }
}
