package io.sallyport.session.netty;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of the listeners: native where this machine has it, TLS 1.3, and 1.2 only where it is asked for. */
final class TlsContexts {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

    private TlsContexts() {}

    static SslContext server(ListenerSpec listener, boolean tls12) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            listener.certificate().toFile(),
                            listener.privateKey().toFile())
                    .sslProvider(provider())
                    .protocols(tls12 ? new String[] {"TLSv1.3", "TLSv1.2"} : new String[] {"TLSv1.3"});
            if (listener.clientCa() != null) {
                File clientCa = listener.clientCa().toFile();
                builder.trustManager(clientCa).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "cannot use the certificate, key or CA of listener " + listener.name() + ": " + e.getMessage(), e);
        }
    }

    private static SslProvider provider() {
        if (OpenSsl.isAvailable()) {
            return SslProvider.OPENSSL_REFCNT;
        }
        LOG.warn("no native TLS on this machine, using the JDK's: {}", String.valueOf(OpenSsl.unavailabilityCause()));
        return SslProvider.JDK;
    }
}
