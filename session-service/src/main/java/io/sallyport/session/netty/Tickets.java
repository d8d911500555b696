package io.sallyport.session.netty;

import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stateless resumption of TLS sessions. A ticket carries the client's certificates, so a resumed connection stands on
 * the very certificate of the first one and goes through the same checks at SENSOR_START. It is bound to its listener
 * and that listener's CA: what was given out elsewhere leads to a full handshake.
 */
final class Tickets {
    private static final Logger LOG = LoggerFactory.getLogger(Tickets.class);

    private final TicketKeys keys;
    private final List<OpenSslSessionContext> contexts = new ArrayList<>();
    private @Nullable List<byte[]> applied;
    private long openedBefore;

    Tickets(TicketKeys keys) {
        this.keys = keys;
    }

    /** Makes a listener give out and take tickets. */
    synchronized void enable(ListenerSpec listener, SslContext tls, long nowMs) {
        if (!(tls.sessionContext() instanceof OpenSslServerSessionContext context)) {
            LOG.warn("no session tickets on listener {}: they need native TLS", listener.name());
            return;
        }
        if (!context.setSessionIdContext(binding(listener))) {
            throw new IllegalStateException("the tickets of listener " + listener.name() + " cannot be bound to it");
        }
        contexts.add(context);
        applied = null;
        renew(nowMs);
    }

    /** Takes over keys that have changed. */
    synchronized void renew(long nowMs) {
        List<byte[]> current = keys.current(nowMs);
        if (current != applied) {
            applied = current;
            var ticketKeys = current.stream().map(Tickets::key).toArray(OpenSslSessionTicketKey[]::new);
            contexts.forEach(context -> context.setTicketKeys(ticketKeys));
        }
    }

    /** Tickets that one of the keys opened, since the start: all but those of another listener shortened a handshake. */
    synchronized long opened() {
        return openedBefore + contexts.stream().mapToLong(Tickets::opened).sum();
    }

    private static long opened(OpenSslSessionContext context) {
        return context.stats().ticketKeyResume() + context.stats().ticketKeyRenew();
    }

    /** Another one has taken its place, and it is about to be released. */
    synchronized void forget(SslContext tls) {
        if (tls.sessionContext() instanceof OpenSslSessionContext context && contexts.remove(context)) {
            openedBefore += opened(context);
        }
    }

    private static OpenSslSessionTicketKey key(byte[] key) {
        int part = TicketKeys.KEY_BYTES / 3;
        return new OpenSslSessionTicketKey(
                Arrays.copyOf(key, part),
                Arrays.copyOfRange(key, part, 2 * part),
                Arrays.copyOfRange(key, 2 * part, 3 * part));
    }

    /** Differs between listeners, and with every change of the CA: a removed CA must not live on in tickets. */
    private static byte[] binding(ListenerSpec listener) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(listener.name().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            if (listener.clientCa() != null) {
                digest.update(Files.readAllBytes(listener.clientCa()));
            }
            return digest.digest();
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalArgumentException("cannot read the CA of listener " + listener.name(), e);
        }
    }
}
