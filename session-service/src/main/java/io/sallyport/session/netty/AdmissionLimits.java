package io.sallyport.session.netty;

/**
 * Who may connect.
 *
 * @param handshakesPerSecond per client address prefix, also the burst
 * @param maxAddresses prefixes that are remembered at a time
 * @param handshakes connections without a session at a time
 * @param maxSessions sessions of the node
 * @param customer what each customer may do here
 * @param credentialRecheckMs how often the credential of a live session is looked at again
 */
public record AdmissionLimits(
        int handshakesPerSecond,
        int maxAddresses,
        Handshakes handshakes,
        int maxSessions,
        Customer customer,
        int credentialRecheckMs) {

    /**
     * How many connections that have greeted and have no session there may be at a time; those beyond are closed before TLS.
     *
     * @param all on the node
     * @param ofAddress of one client address prefix
     * @param ofName for one server name (SNI)
     * @param full without a session ticket: the rest is left to those that have one
     * @param silent those that have not said what they want; they count here and nowhere else
     */
    public record Handshakes(int all, int ofAddress, int ofName, int full, Silent silent) {}

    /**
     * How many connections there may be at a time whose ClientHello is not there yet; beyond, the oldest is closed.
     *
     * @param all on the node
     * @param ofAddress of one client address prefix
     */
    public record Silent(int all, int ofAddress) {}

    /**
     * Of one customer on one node.
     *
     * @param connectsPerSecond that pass; the others are told when to come back
     * @param maxSessions at a time
     */
    public record Customer(int connectsPerSecond, int maxSessions) {}
}
