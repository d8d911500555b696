package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.BatchAdmission;
import io.sallyport.session.core.Note;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The pipeline of a connection: the ClientHello and then TLS in its place, frames, the link. */
final class LinkInitializer extends ChannelInitializer<Channel> {
    private static final int GIVE_WAY_MS = 5;

    private final Node node;
    private final Authenticator authenticator;
    private final Supplier<SslContext> tls;
    private final Supplier<BatchAdmission> admissionOfLoop;

    /** @param admissionOfLoop the checks that belong to the calling event loop */
    LinkInitializer(
            Node node,
            Authenticator authenticator,
            Supplier<SslContext> tls,
            Supplier<BatchAdmission> admissionOfLoop) {
        this.node = node;
        this.authenticator = authenticator;
        this.tls = tls;
        this.admissionOfLoop = admissionOfLoop;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // Gone before it was looked at.
            channel.close();
            return;
        }
        Handshakes.Handshake handshake =
                node.handshakes().begin(remote.getAddress(), silent -> giveWay(channel, silent));
        // Before anything can fail: a connection whose pipeline cannot be made is closed, and counts no longer.
        channel.closeFuture().addListener(closed -> handshake.end());
        var link = new LinkHandler(node, authenticator, admissionOfLoop.get(), handshake);
        channel.closeFuture().addListener(closed -> link.handshakeOver());
        channel.pipeline()
                .addLast("hello", new HelloGate(node, handshake, tls))
                .addLast("frames", link.decoder())
                .addLast("link", link);
    }

    private void giveWay(Channel channel, Handshakes.Handshake silent) {
        try {
            // Not at once: a loop that lags behind first reads what has come, and that may be the ClientHello.
            channel.eventLoop()
                    .schedule(
                            () -> {
                                if (silent.isSilent()) {
                                    node.parts().metrics().noted(Note.SILENT_TOO_LONG);
                                    channel.close();
                                }
                            },
                            GIVE_WAY_MS,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            if (!channel.eventLoop().isShuttingDown()) {
                throw e;
            }
        }
    }
}
