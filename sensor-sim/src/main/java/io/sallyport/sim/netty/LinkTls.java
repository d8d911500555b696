package io.sallyport.sim.netty;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the sensors. The gateway is known by its CA alone: MOVED names it by address, so its certificate's name is not
 * compared. Sensors without a certificate share one context; a sensor's own certificate means a context of its own,
 * that is released with the connection.
 */
final class LinkTls implements AutoCloseable {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable X509Certificate sharedAnchor;
    private @Nullable SslContext shared;

    /** A context that the caller releases. */
    SslContext context(X509Certificate trustAnchor, @Nullable PrivateKey key, List<X509Certificate> chain)
            throws SSLException {
        if (key != null) {
            return builder(trustAnchor)
                    .keyManager(key, chain.toArray(X509Certificate[]::new))
                    .build();
        }
        lock.lock();
        try {
            if (shared == null || !trustAnchor.equals(sharedAnchor)) {
                close();
                shared = builder(trustAnchor).build();
                sharedAnchor = trustAnchor;
            }
            return ReferenceCountUtil.retain(shared);
        } finally {
            lock.unlock();
        }
    }

    private static SslContextBuilder builder(X509Certificate trustAnchor) {
        return SslContextBuilder.forClient()
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols(PROTOCOLS)
                .endpointIdentificationAlgorithm(null)
                .trustManager(trustAnchor);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (shared != null) {
                ReferenceCountUtil.release(shared);
                shared = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
