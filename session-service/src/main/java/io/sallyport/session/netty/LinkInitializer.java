package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.BatchAdmission;
import io.sallyport.session.core.Note;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The pipeline of a connection: the ClientHello and then TLS in its place, frames, the link. */
final class LinkInitializer extends ChannelInitializer<Channel> {
    private final Node node;
    private final Authenticator authenticator;
    private final SslContext tls;
    private final Supplier<BatchAdmission> admissionOfLoop;

    /** @param admissionOfLoop the checks that belong to the calling event loop */
    LinkInitializer(Node node, Authenticator authenticator, SslContext tls, Supplier<BatchAdmission> admissionOfLoop) {
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
        Handshakes.Handshake handshake = node.handshakes().begin(remote.getAddress());
        if (handshake == null) {
            node.parts().metrics().noted(Note.HANDSHAKE_LIMIT);
            channel.close();
            return;
        }
        var link = new LinkHandler(node, authenticator, admissionOfLoop.get(), handshake);
        channel.closeFuture().addListener(closed -> link.handshakeOver());
        channel.pipeline()
                .addLast("hello", new HelloGate(node, handshake, tls))
                .addLast("frames", link.decoder())
                .addLast("link", link);
    }
}
