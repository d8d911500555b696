package io.sallyport.sim.fleet;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.sim.model.CloudSensor;
import io.sallyport.sim.model.ModelSession;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The gateway model behind a real TLS socket. One thread, so that the model needs no locks of its own. */
final class TestGateway implements AutoCloseable, ModelSession.Faults {
    static final X509Bundle CA = certificate("CN=test ca", null, true);
    private static final X509Bundle SERVER = certificate("CN=gateway", null, false);

    final Map<String, CloudSensor> sensors = new ConcurrentHashMap<>();
    final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    final List<ModelSession> sessions = new ArrayList<>();
    final List<BatchHeader> headers = new ArrayList<>();
    final List<SensorStart> starts = new ArrayList<>();
    volatile ModelSession.Faults faults = new ModelSession.Faults() {};
    volatile boolean silent;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final boolean mtls;
    private Channel listener;

    TestGateway(boolean mtls) throws Exception {
        this.mtls = mtls;
        listen(0);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Closes every connection at once, as a killed gateway does; what it knows of the sensors stays. */
    void kill() {
        channels.forEach(channel -> channel.close().syncUninterruptibly());
    }

    private void listen(int port) throws Exception {
        SslContextBuilder tls =
                SslContextBuilder.forServer(SERVER.getKeyPair().getPrivate(), SERVER.getCertificatePath());
        if (mtls) {
            tls.clientAuth(ClientAuth.REQUIRE).trustManager(CA.getCertificate());
        }
        SslContext context = tls.build();
        listener = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        channel.closeFuture().addListener(closed -> channels.remove(channel));
                        channel.pipeline()
                                .addLast(context.newHandler(channel.alloc()))
                                .addLast(new LengthFieldBasedFrameDecoder(1_048_576 + 4, 0, 4, 0, 4))
                                .addLast(new Session());
                    }
                })
                .bind("127.0.0.1", port)
                .sync()
                .channel();
    }

    @Override
    public Optional<Reject> start(SensorStart start) {
        starts.add(start);
        return faults.start(start);
    }

    @Override
    public Optional<Reject> batch(BatchHeader header, List<Long> contents) {
        headers.add(header);
        return faults.batch(header, contents);
    }

    /** Runs on the gateway's thread, where the model lives. */
    <T> T ask(java.util.concurrent.Callable<T> question) throws Exception {
        return group.submit(question).get();
    }

    private final class Session extends SimpleChannelInboundHandler<ByteBuf> {
        private final ModelSession model = new ModelSession(
                start -> sensors.computeIfAbsent(start.getSensorId(), id -> new CloudSensor()),
                LinkLimits.DEFAULTS,
                TestGateway.this);

        Session() {
            sessions.add(model);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            if (silent) {
                return;
            }
            byte type = frame.readByte();
            var body = new byte[frame.readableBytes()];
            frame.readBytes(body);
            model.frame(FrameType.of(type).orElseThrow(), java.nio.ByteBuffer.wrap(body));
            boolean appended = model.pending() > 0;
            while (model.pending() > 0) {
                model.confirm(0);
            }
            if (appended) {
                model.ack(0);
            }
            write(context.channel(), model);
        }
    }

    static void write(Channel channel, ModelSession model) {
        for (ModelSession.Out out : model.out) {
            ByteBuf frame = channel.alloc().buffer();
            frame.writeInt(1 + out.body().length).writeByte(out.type().code()).writeBytes(out.body());
            channel.write(frame);
        }
        model.out.clear();
        channel.flush();
        if (model.closed) {
            channel.close();
        }
    }

    /** Lets every open session say something. */
    void toAll(java.util.function.Consumer<ModelSession> what) throws Exception {
        ask(() -> {
            for (Channel channel : channels) {
                ModelSession model = channel.pipeline().get(Session.class).model;
                if (model.isOpen()) {
                    what.accept(model);
                    write(channel, model);
                }
            }
            return null;
        });
    }

    CredentialSource credentials() {
        if (!mtls) {
            return sensor ->
                    new SensorCredential(CA.getCertificate(), null, List.of(), "token-of-" + sensor.sensorId());
        }
        return sensor -> {
            X509Bundle client = certificate("CN=sensor", sensor, false);
            return new SensorCredential(
                    CA.getCertificate(), client.getKeyPair().getPrivate(), List.of(client.getCertificatePath()), "");
        };
    }

    private static X509Bundle certificate(String subject, SensorKey sensor, boolean ca) {
        try {
            var builder = new CertificateBuilder().ecp256().subject(subject).setIsCertificateAuthority(ca);
            if (ca) {
                return builder.buildSelfSigned();
            }
            if (sensor == null) {
                builder.addSanIpAddress("127.0.0.1");
            } else {
                builder.addSanUriName(URI.create(sensor.uriSan()));
            }
            return builder.buildIssuedBy(CA);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, java.util.concurrent.TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
