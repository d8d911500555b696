package io.sallyport.local.credentials;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.fleet.CredentialSource;
import io.sallyport.sim.fleet.SensorCredential;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Credentials for simulated sensors out of the stack's own folder. Thread-safe; each is kept for half its life. */
public final class DevCredentials implements CredentialSource {

    /** How a sensor shows who it is: one of the two listeners. */
    public enum Mode {
        MTLS,
        TOKEN
    }

    /** Life of a credential where nobody asks for another. */
    public static final Duration DEFAULT_LIFE = Duration.ofHours(24);

    private record Kept(SensorCredential credential, Instant until) {}

    private final CredentialFolder folder;
    private final Mode mode;
    private final Clock clock;
    private final Map<SensorKey, Kept> kept = new ConcurrentHashMap<>();

    public DevCredentials(CredentialFolder folder, Mode mode, Clock clock) {
        this.folder = folder;
        this.mode = mode;
        this.clock = clock;
    }

    @Override
    public SensorCredential forSensor(SensorKey sensor) {
        Instant now = clock.instant();
        return kept.compute(
                        sensor,
                        (key, old) -> old != null && now.isBefore(old.until())
                                ? old
                                : new Kept(issue(key, now), now.plus(DEFAULT_LIFE.dividedBy(2))))
                .credential();
    }

    private SensorCredential issue(SensorKey sensor, Instant now) {
        if (mode == Mode.TOKEN) {
            String token =
                    folder.tokens().issue(sensor.customerId(), Optional.of(sensor.sensorId()), now, DEFAULT_LIFE);
            return new SensorCredential(folder.trustAnchor(), null, List.of(), token);
        }
        try {
            return folder.certificateFor(sensor, now, DEFAULT_LIFE);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot issue a development certificate", e);
        }
    }
}
