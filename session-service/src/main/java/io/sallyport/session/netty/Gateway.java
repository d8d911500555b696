package io.sallyport.session.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocal;
import io.sallyport.session.core.AlertKind;
import io.sallyport.session.core.BatchAdmission;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a node, from their start to the end of the drain. */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** Large enough for many TLS records in one read, which are then decrypted into one buffer. */
    private static final int MAX_READ_BYTES = 256 << 10;

    private static final int INITIAL_READ_BYTES = 4 << 10;
    private static final int MIN_READ_BYTES = 1 << 10;
    /** Above it nothing more is handed to a connection, and its socket is not read. */
    private static final WriteBufferWaterMark WRITE_MARKS = new WriteBufferWaterMark(32 << 10, 64 << 10);

    private static final int QUOTA_LOOK_MS = 1_000;
    private static final int TICKET_LOOK_MS = 1_000;
    private static final int CERTIFICATE_LOOK_MS = 5_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** What a drained connection may take beyond the deadline for its last bytes. */
    private static final int CLOSE_GRACE_MS = 1_500;

    private final Node node;
    private final List<ListenerSpec> listeners;
    private final ServerLimits server;
    private final BoundPorts ports;
    private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
    private final FastThreadLocal<BatchAdmission> admissionOfLoop;
    private final List<Channel> bound = new ArrayList<>();
    private final List<ServedTls> served = new CopyOnWriteArrayList<>();
    private final @Nullable Tickets tickets;
    private @Nullable EventLoopGroup acceptors;
    private @Nullable EventLoopGroup loops;

    /** @param flow what each customer's sensors may bring in, on all nodes together */
    public Gateway(
            GatewayParts parts,
            MemoryLimits memory,
            AdmissionLimits admission,
            FlowLimits flow,
            List<ListenerSpec> listeners,
            ServerLimits server,
            BoundPorts ports) {
        this.node = new Node(parts, memory, admission, flow);
        this.listeners = List.copyOf(listeners);
        this.server = server;
        this.ports = ports;
        this.tickets = server.ticketKeys() == null ? null : new Tickets(server.ticketKeys());
        this.admissionOfLoop = new FastThreadLocal<>() {
            @Override
            protected BatchAdmission initialValue() {
                return new BatchAdmission(parts.rules().limits());
            }

            @Override
            protected void onRemoval(BatchAdmission admission) {
                admission.close();
            }
        };
        parts.metrics().gauge("sallyport.tls.tickets.opened", () -> tickets == null ? 0 : tickets.opened());
        parts.metrics().gauge("sallyport.gateway.certificate.expires.seconds", this::certificateExpiresSeconds);
        parts.metrics()
                .gauge("sallyport.memory.direct", () -> allocator.metric().usedDirectMemory());
    }

    /** Binds every listener, or none. */
    public synchronized void start() {
        boolean epoll = Epoll.isAvailable();
        int threads = server.eventLoops() == 0 ? Runtime.getRuntime().availableProcessors() : server.eventLoops();
        acceptors = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("link-accept"), ioHandler(epoll));
        loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("link"), ioHandler(epoll));
        try {
            for (ListenerSpec listener : listeners) {
                bind(listener, epoll, acceptors, loops);
            }
            acceptors.scheduleWithFixedDelay(
                    () -> node.quotas().renew(node.parts().clock().now()),
                    QUOTA_LOOK_MS,
                    QUOTA_LOOK_MS,
                    TimeUnit.MILLISECONDS);
            acceptors.scheduleWithFixedDelay(
                    node.volumes()::look, server.volumeLookMs(), server.volumeLookMs(), TimeUnit.MILLISECONDS);
            acceptors.scheduleWithFixedDelay(
                    () -> served.forEach(tls -> tls.renew(wallMs())),
                    CERTIFICATE_LOOK_MS,
                    CERTIFICATE_LOOK_MS,
                    TimeUnit.MILLISECONDS);
            if (tickets != null) {
                acceptors.scheduleWithFixedDelay(
                        () -> tickets.renew(wallMs()), TICKET_LOOK_MS, TICKET_LOOK_MS, TimeUnit.MILLISECONDS);
            }
        } catch (RuntimeException e) {
            stopLoops();
            throw e;
        }
    }

    private void bind(ListenerSpec listener, boolean epoll, EventLoopGroup acceptors, EventLoopGroup loops) {
        Class<? extends ServerChannel> type = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        var tls = new ServedTls(
                listener,
                server.tls12(),
                tickets,
                wallMs(),
                () -> node.parts().metrics().alerted(AlertKind.CERTIFICATE_NOT_LOADED));
        served.add(tls);
        Channel channel = new ServerBootstrap()
                .group(acceptors, loops)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, server.backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_MARKS)
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, INITIAL_READ_BYTES, MAX_READ_BYTES))
                .childHandler(new LinkInitializer(node, listener.authenticator(), tls::context, admissionOfLoop::get))
                .bind(listener.host(), listener.port())
                .syncUninterruptibly()
                .channel();
        bound.add(channel);
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        ports.bound(listener.name(), port);
        LOG.info("sensor link {} on {}:{}", listener.name(), listener.host(), port);
    }

    /** Of the listener whose certificate ends first; not a number while none is bound. */
    private double certificateExpiresSeconds() {
        return served.stream()
                .mapToDouble(tls -> (tls.expiresMs() - wallMs()) / 1e3)
                .min()
                .orElse(Double.NaN);
    }

    private long wallMs() {
        return node.parts().clock().now().wallMs();
    }

    private static IoHandlerFactory ioHandler(boolean epoll) {
        return epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** Sessions at this moment. */
    public int sessions() {
        return node.sessions().size();
    }

    /**
     * Sends every sensor away and returns at once; a second call does nothing. From now on starts are refused. The later
     * half of the time until the drain's deadline is dealt out among the sessions, so that those which do not settle
     * before are not closed all in one moment; and the more there are, the longer they take to come back elsewhere.
     */
    public void drain() {
        if (!node.drain()) {
            return;
        }
        List<LinkHandler> links = List.copyOf(node.links());
        int jitterMs = server.jitterMs(node.sessions().size());
        LOG.info("draining {} connections, who come back within {} ms", links.size(), jitterMs);
        for (int i = 0; i < links.size(); i++) {
            int earlierMs = (int) (server.drainDeadlineMs() / 2L * i / links.size());
            links.get(i).drain(server.drainDeadlineMs() - earlierMs, jitterMs);
        }
    }

    public boolean isDraining() {
        return node.isDraining();
    }

    /**
     * {@link #drain Drains} and returns when all that was taken in is acknowledged, at the latest at the drain's
     * deadline; then everything closes.
     */
    public synchronized void stop() {
        drain();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(server.drainDeadlineMs() + CLOSE_GRACE_MS);
        while (node.sessions().size() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        for (Channel channel : bound) {
            channel.close().syncUninterruptibly();
        }
        bound.clear();
        ports.clear();
        // The last bytes of drained connections are still on their way out.
        long closeEnd = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_GRACE_MS);
        while (node.hasEndedLinks() && System.nanoTime() < closeEnd) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        stopLoops();
    }

    private void stopLoops() {
        for (EventLoopGroup group : new EventLoopGroup[] {acceptors, loops}) {
            if (group != null) {
                group.shutdownGracefully(0, CLOSE_GRACE_MS, TimeUnit.MILLISECONDS)
                        .syncUninterruptibly();
            }
        }
        acceptors = null;
        loops = null;
        served.forEach(ServedTls::close);
        served.clear();
    }
}
