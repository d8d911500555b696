package io.sallyport.sim.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.sallyport.envelope.link.FrameType;
import java.util.Optional;

/** Decodes frames and dispatches them; decides nothing. */
final class LinkHandler extends SimpleChannelInboundHandler<ByteBuf> {
    private final LinkListener listener;
    private String reason = "closed by the gateway";

    LinkHandler(LinkListener listener) {
        this.listener = listener;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                listener.linkUp(new Link(context.channel()));
            } else {
                reason = "TLS: " + handshake.cause().getMessage();
                context.close();
            }
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        Optional<FrameType> type = frame.isReadable() ? FrameType.of(frame.readUnsignedByte()) : Optional.empty();
        if (type.isPresent()) {
            listener.frame(type.get(), frame.nioBuffer());
        } else {
            reason = "the gateway sent an unknown frame";
            context.close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        listener.readComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            listener.writable();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        reason = String.valueOf(cause.getMessage());
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        listener.linkDown(reason);
    }
}
