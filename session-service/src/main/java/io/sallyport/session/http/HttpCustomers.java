package io.sallyport.session.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.sallyport.session.core.CustomerStanding;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Customers as a registry tells them: {@code GET <registry>/<customer_id>} answers 200 for one that is active, and 403,
 * 404 or 410 for one that is not; anything else is a failure. No caller waits: an answer that is too old is served while
 * it is asked for again, and for as long as the registry does not answer. Of a customer that was never answered for
 * nothing is known.
 */
public final class HttpCustomers {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCustomers.class);
    private static final Set<Integer> INACTIVE = Set.of(403, 404, 410);
    private static final int OK = 200;

    /**
     * How the registry is asked.
     *
     * @param registry address that a customer id is appended to
     * @param refresh age from which an answer is asked for again
     * @param timeout of one request
     * @param maxCustomers that are remembered, at least the hard cap of a cell
     */
    public record Settings(URI registry, Duration refresh, Duration timeout, int maxCustomers) {}

    private record Answer(CustomerStanding standing, long atNanos) {}

    private final Settings settings;
    private final LongSupplier nanoClock;
    private final Cache<String, Answer> active;
    /** Apart, so that made-up names push no customer out. */
    private final Cache<String, Answer> inactive;

    private final Set<String> asking = ConcurrentHashMap.newKeySet();
    private final CircuitBreaker breaker = CircuitBreaker.of(
            "customer-registry",
            CircuitBreakerConfig.custom()
                    .minimumNumberOfCalls(5)
                    .slidingWindowSize(10)
                    .waitDurationInOpenState(Duration.ofSeconds(5))
                    .permittedNumberOfCallsInHalfOpenState(2)
                    .build());
    private final HttpClient client;

    public HttpCustomers(Settings settings) {
        this(settings, System::nanoTime);
    }

    HttpCustomers(Settings settings, LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.active = Caffeine.newBuilder().maximumSize(settings.maxCustomers()).build();
        this.inactive =
                Caffeine.newBuilder().maximumSize(settings.maxCustomers()).build();
        this.client = HttpClient.newBuilder().connectTimeout(settings.timeout()).build();
        breaker.getEventPublisher()
                .onStateTransition(change -> LOG.warn("customer registry: {}", change.getStateTransition()));
    }

    /** What is known now; asks in the background where that is nothing, or old. */
    public CustomerStanding standing(String customerId) {
        Answer known = active.getIfPresent(customerId);
        if (known == null) {
            known = inactive.getIfPresent(customerId);
        }
        if (known == null
                || nanoClock.getAsLong() - known.atNanos() >= settings.refresh().toNanos()) {
            ask(customerId);
        }
        return known == null ? CustomerStanding.UNDECIDED : known.standing();
    }

    private void ask(String customerId) {
        if (!asking.add(customerId)) {
            return;
        }
        if (!breaker.tryAcquirePermission()) {
            asking.remove(customerId);
            return;
        }
        long startedNanos = System.nanoTime();
        // A customer id has no character that means something in an address, and is no dot alone.
        HttpRequest request = HttpRequest.newBuilder(URI.create(settings.registry() + "/" + customerId))
                .timeout(settings.timeout())
                .GET()
                .build();
        client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).whenComplete((response, failure) -> {
            answered(customerId, response, failure, System.nanoTime() - startedNanos);
            asking.remove(customerId);
        });
    }

    private void answered(
            String customerId, @Nullable HttpResponse<Void> response, @Nullable Throwable failure, long tookNanos) {
        int status = response == null ? 0 : response.statusCode();
        if (status == OK) {
            breaker.onSuccess(tookNanos, TimeUnit.NANOSECONDS);
            active.put(customerId, new Answer(CustomerStanding.ACTIVE, nanoClock.getAsLong()));
            inactive.invalidate(customerId);
        } else if (INACTIVE.contains(status)) {
            breaker.onSuccess(tookNanos, TimeUnit.NANOSECONDS);
            inactive.put(customerId, new Answer(CustomerStanding.INACTIVE, nanoClock.getAsLong()));
            active.invalidate(customerId);
        } else {
            Throwable why = failure == null ? new IllegalStateException("status " + status) : failure;
            breaker.onError(tookNanos, TimeUnit.NANOSECONDS, why);
            LOG.debug("no answer for customer {}", customerId, why);
        }
    }
}
