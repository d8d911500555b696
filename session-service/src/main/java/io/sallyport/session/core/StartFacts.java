package io.sallyport.session.core;

import io.sallyport.envelope.identity.SensorKey;
import java.util.Optional;

/** What the checks of SENSOR_START ask about the world, one by one and in their order. Answers are local. */
public interface StartFacts {
    CredentialCheck credential(String token);

    /** The control data has been read; before that nothing is known about customers. */
    boolean isControlDataLoaded();

    CustomerStanding standing(String customerId);

    boolean isDraining();

    /** {@code host:port} of the cell that the customer lives in, where it is another one. */
    Optional<String> movedTo(String customerId);

    /** Why this node does not take one more session of the sensor now; asked once, as the last of all. */
    Optional<Refusal> admission(SensorKey sensor);
}
