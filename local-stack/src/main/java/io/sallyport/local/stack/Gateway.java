package io.sallyport.local.stack;

import java.net.InetSocketAddress;

/**
 * A gateway of a stack of processes.
 *
 * @param name of its part
 * @param node its ordinal
 * @param mtls sensor link with client certificates, {@code host:port}
 * @param token sensor link with tokens, {@code host:port}
 * @param management health and metrics, {@code host:port}
 */
public record Gateway(String name, int node, String mtls, String token, String management) {

    public InetSocketAddress tokenAddress() {
        return Endpoints.address(token);
    }
}
