package io.sallyport.session.core;

/** Outcome of looking at a credential. */
public sealed interface CredentialCheck {

    record Holds(Credential credential) implements CredentialCheck {}

    /** Missing, malformed, not signed by a known key, expired, not yet valid, revoked, or meant for another audience. */
    record Fails(String detail) implements CredentialCheck {}
}
