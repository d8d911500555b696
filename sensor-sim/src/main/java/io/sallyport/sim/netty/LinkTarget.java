package io.sallyport.sim.netty;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection goes.
 *
 * @param gateway its address
 * @param from address of this end; null leaves it to the system
 * @param serverName sent as SNI; TLS sessions are resumed between gateways of one name; empty = the gateway's address
 */
public record LinkTarget(
        InetSocketAddress gateway, @Nullable String from, String serverName) {}
