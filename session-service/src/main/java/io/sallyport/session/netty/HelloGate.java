package io.sallyport.session.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.sallyport.session.core.Note;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the ClientHello, and sets up TLS only for those that may go on. */
final class HelloGate extends SslClientHelloHandler<Boolean> {
    private static final Logger LOG = LoggerFactory.getLogger(HelloGate.class);
    /** Post-quantum key shares and a ticket with a chain of certificates are a few KB. */
    private static final int MAX_HELLO_BYTES = 16 << 10;
    /** Those of the records that a hello may come in. */
    private static final int MAX_RECORD_HEADERS = 2 << 10;

    private final Node node;
    private final Handshakes.Handshake handshake;
    private final Supplier<SslContext> tls;
    private boolean refused;

    HelloGate(Node node, Handshakes.Handshake handshake, Supplier<SslContext> tls) {
        super(MAX_HELLO_BYTES);
        this.node = node;
        this.handshake = handshake;
        this.tls = tls;
    }

    /** A record may claim 64 KB, and a hello come in any number of records: neither is waited for beyond what a hello is. */
    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        if (in.readableBytes() > MAX_HELLO_BYTES + MAX_RECORD_HEADERS) {
            in.skipBytes(in.readableBytes());
            if (!refused) {
                refused = true;
                node.parts().metrics().noted(Note.HANDSHAKE_LIMIT);
                ctx.close();
            }
            return;
        }
        super.decode(ctx, in, out);
    }

    @Override
    protected Future<Boolean> lookup(ChannelHandlerContext ctx, ByteBuf clientHello) {
        if (refused) {
            // The same bytes once more, since the connection closes.
            return ctx.executor().newSucceededFuture(false);
        }
        // Null where it was not understood: TLS itself says what is wrong with it.
        ClientHello hello = clientHello == null ? ClientHello.UNREADABLE : ClientHello.of(clientHello);
        return ctx.executor().newSucceededFuture(handshake.greet(hello));
    }

    @Override
    protected void onLookupComplete(ChannelHandlerContext ctx, Future<Boolean> admitted) {
        if (!admitted.isSuccess() || !admitted.getNow()) {
            if (!refused) {
                refused = true;
                node.parts().metrics().noted(Note.HANDSHAKE_LIMIT);
                ctx.close();
            }
            return;
        }
        SslHandler encryption = tls.get().newHandler(ctx.alloc());
        // One timer rules the whole handshake, TLS and SENSOR_START together: the link's.
        encryption.setHandshakeTimeoutMillis(0);
        ctx.pipeline().replace(this, "tls", encryption);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Not TLS, or more than a ClientHello: what clients send is nothing to log.
        LOG.debug("connection of {} ended before TLS: {}", ctx.channel().remoteAddress(), cause.toString());
        ctx.close();
    }
}
