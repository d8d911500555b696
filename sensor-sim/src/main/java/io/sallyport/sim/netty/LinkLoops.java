package io.sallyport.sim.netty;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The threads of a fleet. A sensor belongs to one loop: its core, its spool and its connections run there. */
public final class LinkLoops implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group;
    private final LinkTls tls = new LinkTls();
    private final List<LinkLoop> loops;

    public LinkLoops(int threads) {
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group = new MultiThreadIoEventLoopGroup(threads, io);
        loops = IntStream.range(0, threads)
                .mapToObj(i -> new LinkLoop(group.next(), tls, PooledByteBufAllocator.DEFAULT))
                .toList();
    }

    public List<LinkLoop> all() {
        return loops;
    }

    /** Ends the threads; connections that are still open are closed. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        loops.forEach(LinkLoop::close);
        tls.close();
    }
}
