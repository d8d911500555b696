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

    CustomerAdmission(AdmissionLimits limits, SessionRegistry sessions) {
        this.limits = limits;
        this.sessions = sessions;
    }

    /** Empty where the session may be opened. A sensor that takes its own live session over adds none. */
    Optional<Refusal> refusal(SensorKey sensor, long monotonicMs) {
        if (sessions.ofSensor(sensor) == null) {
            if (sessions.size() >= limits.maxSessions()) {
                return limited("the node is full", RETRY_FULL_MS);
            }
            if (sessions.ofCustomer(sensor.customerId()) >= limits.customer().maxSessions()) {
                return limited("the customer has all the sessions that it may have here", RETRY_CUSTOMER_FULL_MS);
            }
        }
        int retryAfterMs = rates.computeIfAbsent(
                        sensor.customerId(),
                        customer -> new ConnectRate(limits.customer().connectsPerSecond()))
                .connect(monotonicMs);
        return retryAfterMs == 0
                ? Optional.empty()
                : limited("too many of the customer's sensors connect", retryAfterMs);
    }

    private static Optional<Refusal> limited(String detail, int retryAfterMs) {
        return Optional.of(Refusal.retry(RejectCode.ADMISSION_LIMITED, detail, retryAfterMs));
    }
}
