package io.sallyport.session.link;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.session.auth.MtlsAuthenticator;
import io.sallyport.session.auth.TokenAuthenticator;
import io.sallyport.session.core.LinkRules;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.TenantFlow;
import io.sallyport.session.metrics.GatewayMetrics;
import io.sallyport.session.netty.AdmissionLimits;
import io.sallyport.session.netty.BoundPorts;
import io.sallyport.session.netty.FlowLimits;
import io.sallyport.session.netty.Gateway;
import io.sallyport.session.netty.GatewayParts;
import io.sallyport.session.netty.ListenerSpec;
import io.sallyport.session.netty.MemoryLimits;
import io.sallyport.session.netty.NodeClock;
import io.sallyport.session.netty.ServerLimits;
import io.sallyport.session.netty.TicketKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A gateway on real sockets with real TLS, above a log and an authority that the test holds in its hands. */
final class TestGateway implements AutoCloseable {
    static {
        // Machines that build are busy: long enough to be certain, since no test waits for it to pass.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    final FakeRawLog log = new FakeRawLog();
    final FakeAuthority authority = new FakeAuthority();
    final FakeControl control = new FakeControl();
    final FakeCommands commands = new FakeCommands();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Gateway gateway;
    private final BoundPorts ports = new BoundPorts();
    private boolean stopped;

    private TestGateway(Settings settings) {
        TestPki pki = TestPki.shared();
        var rules = new LinkRules(
                LinkLimits.DEFAULTS, 3, settings.handshakeTimeoutMs, settings.keepaliveMs, settings.stallTimeoutMs);
        gateway = new Gateway(
                new GatewayParts(
                        settings.log == null ? log : settings.log,
                        authority,
                        control,
                        commands,
                        new GatewayMetrics(meters),
                        rules,
                        settings.clock),
                settings.memory,
                settings.admission,
                new FlowLimits(settings.customerRate, settings.floorBytesPerSecond),
                List.of(
                        new ListenerSpec(
                                "mtls",
                                "127.0.0.1",
                                0,
                                settings.certificate,
                                settings.privateKey,
                                pki.caFile(),
                                new MtlsAuthenticator(pki.caFile(), settings.crl)),
                        new ListenerSpec(
                                "token",
                                "127.0.0.1",
                                0,
                                settings.certificate,
                                settings.privateKey,
                                null,
                                new TokenAuthenticator(
                                        settings.jwks == null ? pki.jwksFile() : settings.jwks,
                                        TestPki.ISSUER,
                                        settings.allowFleetTokens))),
                new ServerLimits(
                        2,
                        settings.tls12,
                        1_024,
                        settings.drainDeadlineMs,
                        1_000,
                        1_000,
                        settings.volumeLookMs,
                        settings.ticketKeys),
                ports);
        gateway.start();
    }

    static TestGateway start() {
        return new Settings().start();
    }

    static Settings with() {
        return new Settings();
    }

    /** Limits of addresses and of the node; those of a customer are out of the way. */
    static AdmissionLimits admission(
            int handshakesPerSecond, int maxHandshakes, int maxSessions, int credentialRecheckMs) {
        return new AdmissionLimits(
                handshakesPerSecond,
                1_024,
                new AdmissionLimits.Handshakes(
                        maxHandshakes,
                        maxHandshakes,
                        maxHandshakes,
                        maxHandshakes,
                        new AdmissionLimits.Silent(maxHandshakes, maxHandshakes)),
                maxSessions,
                new AdmissionLimits.Customer(100_000, maxSessions),
                credentialRecheckMs);
    }

    /** Bounds of the node and of a connection; those of a customer and a shard are out of the way. */
    static MemoryLimits memory(long nodeBytes, long connectionBytes, long unfinishedBytes) {
        return new MemoryLimits(nodeBytes, nodeBytes, nodeBytes, connectionBytes, unfinishedBytes);
    }

    /** What a test changes. */
    static final class Settings {
        int handshakeTimeoutMs = 10_000;
        int keepaliveMs = 60_000;
        int stallTimeoutMs = 30_000;
        int drainDeadlineMs = 5_000;
        int volumeLookMs = 60_000;
        boolean allowFleetTokens;
        boolean tls12;

        Path certificate = TestPki.shared().serverCertificate();
        Path privateKey = TestPki.shared().serverKey();

        @Nullable
        Path crl;

        @Nullable
        Path jwks;

        @Nullable
        RawLog log;

        @Nullable
        TicketKeys ticketKeys;

        NodeClock clock = NodeClock.SYSTEM;
        MemoryLimits memory = memory(64 << 20, 4 << 20, 64 << 20);
        long floorBytesPerSecond = 1L << 40;
        TenantFlow.Rate customerRate = new TenantFlow.Rate(1L << 40, 1L << 40);
        AdmissionLimits admission = admission(100_000, 10_000, 10_000, 30_000);

        TestGateway start() {
            return new TestGateway(this);
        }
    }

    int port(String listener) {
        return Objects.requireNonNull(ports.asMap().get(listener));
    }

    /** Connected to the token listener, nothing sent. */
    SensorSocket connect() throws IOException {
        return SensorSocket.connect(port("token"), TestPki.shared().client(null));
    }

    /** A session of a new sensor of {@code acme}. */
    SensorSocket session(String sensor) throws IOException {
        SensorSocket socket = connect();
        Accept accept = socket.start(Wire.start("acme", sensor)
                .setToken(TestPki.shared().token("acme", sensor))
                .build());
        if (accept.getSessionId() == 0) {
            throw new AssertionError("no session id");
        }
        return socket;
    }

    double counted(String name, String... tags) {
        var counter = meters.find(name).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    double gauge(String name) {
        return meters.get(name).gauge().value();
    }

    int sessions() {
        return gateway.sessions();
    }

    void drain() {
        gateway.drain();
    }

    void stop() {
        if (!stopped) {
            stopped = true;
            gateway.stop();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
