package io.sallyport.sim.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.sallyport.envelope.link.FrameType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One thread with the connections of its sensors. */
public final class LinkLoop {
    /** The gateway's frames are as large as its max_frame_bytes, which is not known before ACCEPT. */
    private static final int MAX_FRAME_BYTES = 16 << 20;

    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int HANDSHAKE_TIMEOUT_MS = 10_000;
    private static final int SESSION_PORT = 443;
    /** Two full frames may wait: one goes out while the next is built. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(512 << 10, 1 << 20);

    private final EventLoop loop;
    private final LinkTls tls;
    private final BatchFrameWriter writer;

    LinkLoop(EventLoop loop, LinkTls tls, ByteBufAllocator allocator) {
        this.loop = loop;
        this.tls = tls;
        this.writer = new BatchFrameWriter(allocator);
    }

    /** The writer that all sensors of this loop share; use it on the loop's thread, one batch at a time. */
    public BatchFrameWriter writer() {
        return writer;
    }

    public void execute(Runnable task) {
        loop.execute(task);
    }

    /** Runs a task again and again until the loops are closed. */
    public void every(long periodMs, Runnable task) {
        loop.scheduleAtFixedRate(task, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Connects on this loop's thread.
     *
     * @param target where to, and from where
     * @param key of the client certificate; null where the sensor has none
     * @param chain of the client certificate, leaf first
     */
    public void connect(
            LinkTarget target,
            X509Certificate trustAnchor,
            @Nullable PrivateKey key,
            List<X509Certificate> chain,
            LinkListener listener) {
        SslContext context;
        try {
            context = tls.context(trustAnchor, key, chain);
        } catch (SSLException e) {
            listener.linkDown("TLS: " + e.getMessage());
            return;
        }
        String from = target.from();
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                // Frames of a megabyte stay in its pool; the adaptive default allocates and clears them anew.
                .option(ChannelOption.ALLOCATOR, writer.allocator())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .handler(new Pipeline(context, target, listener))
                .connect(resolved(target.gateway()), from == null ? null : new InetSocketAddress(from, 0));
        connecting.channel().closeFuture().addListener(closed -> ReferenceCountUtil.release(context));
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                listener.linkDown(reason(done.cause()));
            }
        });
    }

    /** One of the addresses behind a name, at random: a fleet spreads, and goes over to those that are left. */
    private static InetSocketAddress resolved(InetSocketAddress gateway) {
        if (!gateway.isUnresolved()) {
            return gateway;
        }
        try {
            InetAddress[] known = InetAddress.getAllByName(gateway.getHostString());
            return new InetSocketAddress(known[ThreadLocalRandom.current().nextInt(known.length)], gateway.getPort());
        } catch (UnknownHostException e) {
            // Netty tells whoever listens.
            return gateway;
        }
    }

    /** Netty's messages name system calls and addresses; the two usual reasons are said plainly. */
    private static String reason(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return "no answer within " + CONNECT_TIMEOUT_MS / 1_000 + " s";
        }
        String message = String.valueOf(cause.getMessage());
        return message.contains("Connection refused") ? "connection refused" : message;
    }

    /** Everything a received byte passes, in order. */
    private static final class Pipeline extends ChannelInitializer<Channel> {
        private final SslContext context;
        private final LinkTarget target;
        private final LinkListener listener;

        Pipeline(SslContext context, LinkTarget target, LinkListener listener) {
            this.context = context;
            this.target = target;
            this.listener = listener;
        }

        @Override
        protected void initChannel(Channel channel) {
            String name = target.serverName().isEmpty() ? target.gateway().getHostString() : target.serverName();
            // The port is part of what sessions are kept under: of one name they are to be resumed at any of its
            // gateways.
            int port = target.serverName().isEmpty() ? target.gateway().getPort() : SESSION_PORT;
            SslHandler ssl = context.newHandler(channel.alloc(), name, port);
            ssl.setHandshakeTimeoutMillis(HANDSHAKE_TIMEOUT_MS);
            channel.pipeline()
                    .addLast("tls", ssl)
                    .addLast(
                            "frames",
                            new LengthFieldBasedFrameDecoder(
                                    MAX_FRAME_BYTES, 0, FrameType.LENGTH_BYTES, 0, FrameType.LENGTH_BYTES))
                    .addLast("link", new LinkHandler(listener));
        }
    }

    void close() {
        writer.close();
    }
}
