package io.sallyport.session.core;

import io.sallyport.envelope.identity.SensorKey;

/** What a sensor proved about itself; its implementation belongs to the authenticator that made it. */
public interface Credential {

    /** Whether this credential binds its holder to {@code sensor}. */
    boolean speaksFor(SensorKey sensor);

    /** Names the credential in an audit line without giving it away: a certificate's fingerprint, a token's key id. */
    String reference();
}
