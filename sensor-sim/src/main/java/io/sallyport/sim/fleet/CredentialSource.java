package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;

/** Where a fleet gets the credentials of its sensors. Called again at every reconnect; thread-safe. */
public interface CredentialSource {
    SensorCredential forSensor(SensorKey sensor);
}
