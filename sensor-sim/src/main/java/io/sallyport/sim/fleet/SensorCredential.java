package io.sallyport.sim.fleet;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one sensor presents to the gateway.
 *
 * @param trustAnchor the CA that the gateway's certificate must chain to
 * @param privateKey of the client certificate; null on a token listener
 * @param certificateChain leaf first; empty on a token listener
 * @param token JWT for SENSOR_START; empty on an mtls listener
 */
public record SensorCredential(
        X509Certificate trustAnchor,
        @Nullable PrivateKey privateKey,
        List<X509Certificate> certificateChain,
        String token) {}
