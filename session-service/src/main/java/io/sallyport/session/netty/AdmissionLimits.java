package io.sallyport.session.netty;

/**
 * Who may connect.
 *
 * @param handshakesPerSecond per client address prefix, also the burst
 * @param maxAddresses prefixes that are remembered at a time
 * @param maxHandshakes connections without a session at a time
 * @param maxSessions sessions of the node
 * @param credentialRecheckMs how often the credential of a live session is looked at again
 */
public record AdmissionLimits(
        int handshakesPerSecond, int maxAddresses, int maxHandshakes, int maxSessions, int credentialRecheckMs) {}
