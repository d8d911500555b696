package io.sallyport.session.config;

import io.sallyport.session.netty.Gateway;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;

/**
 * {@code POST /actuator/drain} begins the drain that a SIGTERM would begin, and returns at once; the process stays, is not
 * ready, and refuses starts with DRAINING until it is stopped. {@code GET} tells how far it is. Doing it twice is doing
 * it once.
 */
@Endpoint(id = "drain")
public final class DrainEndpoint {
    private final Gateway gateway;
    private final ApplicationContext context;

    DrainEndpoint(Gateway gateway, ApplicationContext context) {
        this.gateway = gateway;
        this.context = context;
    }

    /** @param sessions that are not gone yet */
    public record Progress(boolean draining, int sessions) {}

    @WriteOperation
    public Progress drain() {
        AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        gateway.drain();
        return progress();
    }

    @ReadOperation
    public Progress progress() {
        return new Progress(gateway.isDraining(), gateway.sessions());
    }
}
