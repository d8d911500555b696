package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.BatchAdmission;
import io.sallyport.session.core.Note;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The pipeline of a connection: TLS, frames, the link. */
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
        if (!node.handshakes().begin(remote.getAddress())) {
            node.parts().metrics().noted(Note.HANDSHAKE_LIMIT);
            channel.close();
            return;
        }
        SslHandler encryption = tls.newHandler(channel.alloc());
        // One timer rules the whole handshake, TLS and SENSOR_START together: the link's.
        encryption.setHandshakeTimeoutMillis(0);
        var link = new LinkHandler(node, authenticator, admissionOfLoop.get(), remote.getAddress());
        channel.closeFuture().addListener(closed -> link.handshakeOver());
        channel.pipeline()
                .addLast("tls", encryption)
                .addLast("frames", link.decoder())
                .addLast("link", link);
    }
}
