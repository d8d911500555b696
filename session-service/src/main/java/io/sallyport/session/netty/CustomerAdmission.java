package io.sallyport.session.netty;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.ConnectRate;
import io.sallyport.session.core.Refusal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Whether this node takes one more session: of anybody, and of one customer. */
final class CustomerAdmission {
    private static final int RETRY_FULL_MS = 5_000;
    private static final int RETRY_CUSTOMER_FULL_MS = 30_000;

    private final AdmissionLimits limits;
    private final SessionRegistry sessions;
    /** Only of customers that exist, so their number is bounded. */
    private final Map<String, ConnectRate> rates = new ConcurrentHashMap<>();

    /** Sessions that were admitted and are not open yet: a storm's knocks must not all pass before the first counts. */
    private final Map<String, Integer> opening = new ConcurrentHashMap<>();

    CustomerAdmission(AdmissionLimits limits, SessionRegistry sessions) {
        this.limits = limits;
        this.sessions = sessions;
    }

    /** Empty where the session may be opened; then {@link #openingOver} is to follow. A sensor that takes its own live session over adds none. */
    Optional<Refusal> refusal(SensorKey sensor, long monotonicMs) {
        if (sessions.ofSensor(sensor) == null) {
            if (sessions.size() >= limits.maxSessions()) {
                return limited("the node is full", RETRY_FULL_MS);
            }
            int opening = this.opening.getOrDefault(sensor.customerId(), 0);
            if (sessions.ofCustomer(sensor.customerId()) + opening
                    >= limits.customer().maxSessions()) {
                return limited("the customer has all the sessions that it may have here", RETRY_CUSTOMER_FULL_MS);
            }
        }
        int retryAfterMs = rates.computeIfAbsent(
                        sensor.customerId(),
                        customer -> new ConnectRate(limits.customer().connectsPerSecond()))
                .connect(monotonicMs);
        if (retryAfterMs > 0) {
            return limited("too many of the customer's sensors connect", retryAfterMs);
        }
        opening.merge(sensor.customerId(), 1, Integer::sum);
        return Optional.empty();
    }

    /** A session that was admitted is open now and counted as such, or will not be. */
    void openingOver(String customerId) {
        opening.computeIfPresent(customerId, (customer, count) -> count == 1 ? null : count - 1);
    }

    private static Optional<Refusal> limited(String detail, int retryAfterMs) {
        return Optional.of(Refusal.retry(RejectCode.ADMISSION_LIMITED, detail, retryAfterMs));
    }
}
