package io.sallyport.session.netty;

/**
 * Who may connect.
 *
 * @param handshakesPerSecond per client address prefix, also the burst
 * @param maxAddresses prefixes that are remembered at a time
 * @param maxHandshakes connections without a session at a time
 * @param maxHandshakesOfAddress the same of one client address prefix
 * @param maxSessions sessions of the node
 * @param customer what each customer may do here
 * @param credentialRecheckMs how often the credential of a live session is looked at again
 */
public record AdmissionLimits(
        int handshakesPerSecond,
        int maxAddresses,
        int maxHandshakes,
        int maxHandshakesOfAddress,
        int maxSessions,
        Customer customer,
        int credentialRecheckMs) {

    /**
     * Of one customer on one node.
     *
     * @param connectsPerSecond that pass; the others are told when to come back
     * @param maxSessions at a time
     */
    public record Customer(int connectsPerSecond, int maxSessions) {}
}
