package io.sallyport.session.core;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** One listener's way to tell who a sensor is. Calls are local and short. */
public interface Authenticator {

    /**
     * Looks at what a sensor presented.
     *
     * @param token of SENSOR_START; empty where there is none
     * @param peerChain the client's certificates as TLS verified them, its own first; empty where there are none
     */
    CredentialCheck check(String token, List<X509Certificate> peerChain, long nowMs);

    /** Why a credential that held at the start holds no longer; empty while it does. */
    Optional<String> endOf(Credential credential, long nowMs);
}
