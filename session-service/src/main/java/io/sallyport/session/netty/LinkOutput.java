package io.sallyport.session.netty;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Bytes to one sensor, and the orderly end of its connection. Belongs to the connection's event loop. */
final class LinkOutput {
    private static final int DRAIN_INPUT_MS = 1_000;

    private final ChannelHandlerContext ctx;
    private boolean unflushed;
    private boolean finished;

    LinkOutput(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    void ack(long epoch, long watermark, int throttleMs) {
        ByteBuf frame = frame(FrameType.ACK, Ack.BYTES);
        frame.writeInt((int) epoch).writeLong(watermark).writeInt(throttleMs);
        write(frame);
    }

    void bytes(FrameType type, byte[] body) {
        write(frame(type, body.length).writeBytes(body));
    }

    void message(FrameType type, MessageLite body) {
        write(encode(type, body));
    }

    void flush() {
        if (unflushed) {
            unflushed = false;
            ctx.flush();
        }
    }

    /**
     * Sends the last frame, if any, closes the sending side, and takes in what still comes for up to a second: closing
     * with unread input would make TCP reset the connection and destroy what was just sent.
     *
     * @param secured whether TLS is up; without it nothing can be said
     */
    void finish(@Nullable MessageLite reject, boolean secured) {
        if (finished) {
            return;
        }
        finished = true;
        Channel channel = ctx.channel();
        if (!secured) {
            channel.unsafe().close(channel.voidPromise());
            return;
        }
        ByteBuf last = reject == null ? Unpooled.EMPTY_BUFFER : encode(FrameType.REJECT, reject);
        ctx.writeAndFlush(last).addListener((ChannelFuture written) -> closeOutput(written.isSuccess()));
        ctx.executor()
                .schedule(() -> channel.unsafe().close(channel.voidPromise()), DRAIN_INPUT_MS, TimeUnit.MILLISECONDS);
    }

    private void closeOutput(boolean written) {
        Channel channel = ctx.channel();
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        if (!written || tls == null || !(channel instanceof DuplexChannel duplex)) {
            channel.unsafe().close(channel.voidPromise());
            return;
        }
        tls.closeOutbound().addListener(closed -> duplex.shutdownOutput());
    }

    private void write(ByteBuf frame) {
        if (finished) {
            frame.release();
            return;
        }
        unflushed = true;
        ctx.write(frame, ctx.voidPromise());
    }

    private ByteBuf frame(FrameType type, int bodyLength) {
        ByteBuf frame = ctx.alloc().buffer(FrameType.LENGTH_BYTES + 1 + bodyLength);
        return frame.writeInt(1 + bodyLength).writeByte(type.code());
    }

    private ByteBuf encode(FrameType type, MessageLite body) {
        int length = body.getSerializedSize();
        ByteBuf frame = frame(type, length);
        try {
            var out = CodedOutputStream.newInstance(frame.nioBuffer(frame.writerIndex(), length));
            body.writeTo(out);
            out.flush();
        } catch (IOException e) {
            frame.release();
            throw new UncheckedIOException(e);
        }
        return frame.writerIndex(frame.writerIndex() + length);
    }
}
