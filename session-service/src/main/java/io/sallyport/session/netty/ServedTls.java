package io.sallyport.session.netty;

import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a listener presents and trusts, as its files say: certificate, key and CA. They are read again when they change, and
 * connections that come from then on get the new ones; those that are there keep theirs. Files that cannot be used leave
 * the ones before in their place. Contents are compared, not times: a mounted Secret is a link to another folder.
 */
final class ServedTls {
    private static final Logger LOG = LoggerFactory.getLogger(ServedTls.class);

    private final ListenerSpec listener;
    private final boolean tls12;
    private final @Nullable Tickets tickets;
    private final Runnable onRefusal;
    private volatile Loaded served;
    /** A connection that is just being set up may still have it in its hands. */
    private @Nullable Loaded before;

    private byte[] refused = {};
    private boolean told;

    /** @param version digest of the files */
    private record Loaded(SslContext context, byte[] version, long expiresMs) {}

    /**
     * @param onRefusal called once for each version of the files that cannot be used
     * @throws IllegalArgumentException where they cannot be used now
     */
    ServedTls(ListenerSpec listener, boolean tls12, @Nullable Tickets tickets, long nowMs, Runnable onRefusal) {
        this.listener = listener;
        this.tls12 = tls12;
        this.tickets = tickets;
        this.onRefusal = onRefusal;
        try {
            this.served = load(version(), nowMs);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot read the certificate, key or CA of listener " + listener.name() + ": " + e.getMessage(), e);
        }
    }

    /** For the next connection. */
    SslContext context() {
        return served.context();
    }

    /** When the certificate ends that is presented now. */
    long expiresMs() {
        return served.expiresMs();
    }

    /** Takes over files that have changed. */
    synchronized void renew(long nowMs) {
        byte[] found = {};
        try {
            found = version();
            if (Arrays.equals(found, served.version())) {
                refused = new byte[0];
                return;
            }
            Loaded next = load(found, nowMs);
            release(before);
            before = served;
            served = next;
            refused = new byte[0];
            LOG.info("listener {} presents and trusts what its files say now", listener.name());
        } catch (IOException | RuntimeException e) {
            refuse(found, e);
        }
    }

    /** Of files that are being written one is older than the other for a moment: told is what stays. */
    private void refuse(byte[] version, Exception why) {
        if (!Arrays.equals(version, refused)) {
            refused = version;
            told = false;
        } else if (!told) {
            told = true;
            LOG.error("the new certificate, key or CA of listener {} cannot be used", listener.name(), why);
            onRefusal.run();
        }
    }

    private Loaded load(byte[] version, long nowMs) {
        X509Certificate certificate = TlsContexts.certificate(listener);
        SslContext context = TlsContexts.server(listener, tls12);
        if (tickets != null) {
            tickets.enable(listener, context, nowMs);
        }
        return new Loaded(context, version, certificate.getNotAfter().getTime());
    }

    private byte[] version() throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(listener.certificate()));
            digest.update(Files.readAllBytes(listener.privateKey()));
            Path clientCa = listener.clientCa();
            if (clientCa != null) {
                digest.update(Files.readAllBytes(clientCa));
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void release(@Nullable Loaded loaded) {
        if (loaded != null) {
            if (tickets != null) {
                tickets.forget(loaded.context());
            }
            ReferenceCountUtil.release(loaded.context());
        }
    }

    /** After the last connection: contexts have native memory of their own. */
    synchronized void close() {
        release(before);
        before = null;
        release(Objects.requireNonNull(served));
    }
}
