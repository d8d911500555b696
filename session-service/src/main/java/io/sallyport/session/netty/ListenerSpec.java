package io.sallyport.session.netty;

import io.sallyport.session.core.Authenticator;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One place where sensors connect.
 *
 * @param name "mtls" or "token"
 * @param port 0 takes one that is free
 * @param certificate PEM chain of the gateway
 * @param privateKey its PEM key
 * @param clientCa PEM certificates that a client must chain to; null where clients present none
 * @param authenticator tells who a sensor of this listener is
 */
public record ListenerSpec(
        String name,
        String host,
        int port,
        Path certificate,
        Path privateKey,
        @Nullable Path clientCa,
        Authenticator authenticator) {}
