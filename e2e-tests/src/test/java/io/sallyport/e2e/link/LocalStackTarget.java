package io.sallyport.e2e.link;

import com.nimbusds.jose.jwk.OctetKeyPair;
import io.sallyport.local.cli.SallyportCommand;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.EmbeddedStack;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.MetricsPage;
import io.sallyport.local.stack.StackPorts;
import io.sallyport.local.stack.StackSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.util.io.pem.PemReader;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A whole local stack in this JVM, with short timers, and the development credentials of its data folder. */
final class LocalStackTarget implements LinkTarget, AutoCloseable {
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(4);
    private static final Duration KEEPALIVE = Duration.ofSeconds(2);
    private static final String ISSUER = "sallyport-local";
    private static final JsonMapper JSON = new JsonMapper();

    /** Behind the constants that its start needs. */
    static final LocalStackTarget SHARED = startForTheWholeRun();

    private final Path dir;
    private final EmbeddedStack stack;
    private final X509Certificate ca;
    private final PrivateKey caKey;
    private final TokenKey tokenKey;

    private LocalStackTarget(Path dir, EmbeddedStack stack, Path credentials)
            throws IOException, GeneralSecurityException, ParseException {
        this.dir = dir;
        this.stack = stack;
        try (var in = Files.newInputStream(credentials.resolve("ca.pem"))) {
            ca = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        try (var pem = new PemReader(new StringReader(Files.readString(credentials.resolve("ca-key.pem"))))) {
            caKey = KeyFactory.getInstance(ca.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(pem.readPemObject().getContent()));
        }
        var jwk = OctetKeyPair.parse(Files.readString(credentials.resolve("token-key.json")));
        tokenKey = new TokenKey(
                jwk.getKeyID(),
                KeyFactory.getInstance("Ed25519")
                        .generatePrivate(new EdECPrivateKeySpec(
                                NamedParameterSpec.ED25519, jwk.getD().decode())),
                jwk.getX().decode(),
                ISSUER);
    }

    private static LocalStackTarget startForTheWholeRun() {
        LocalStackTarget target = start(Map.of());
        Runtime.getRuntime().addShutdownHook(new Thread(target::close));
        return target;
    }

    /** A stack of one's own, on a new data folder. */
    static LocalStackTarget start(Map<String, String> settings) {
        try {
            Path dir = Files.createTempDirectory("sallyport-link");
            var data = new DataFolder(dir);
            var all = new HashMap<>(Map.of(
                    "sallyport.session.link.handshake-timeout",
                    HANDSHAKE_TIMEOUT.toMillis() + "ms",
                    "sallyport.session.link.keepalive",
                    KEEPALIVE.toMillis() + "ms",
                    "sallyport.session.link.stall-timeout",
                    "5s",
                    "sallyport.session.admission.credential-recheck",
                    "1s"));
            all.putAll(settings);
            var stack = EmbeddedStack.start(new StackSettings(data, StackPorts.FREE, all));
            return new LocalStackTarget(dir, stack, data.credentials());
        } catch (IOException | GeneralSecurityException | ParseException e) {
            throw new IllegalStateException("no stack to test", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Drains the gateway, stops the rest and removes the data folder. */
    @Override
    public void close() {
        stack.close();
        delete(dir);
    }

    private static void delete(Path dir) {
        try (var files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public InetSocketAddress mtlsListener() {
        return stack.endpoints().mtlsAddress();
    }

    @Override
    public InetSocketAddress tokenListener() {
        return stack.endpoints().tokenAddress();
    }

    @Override
    public X509Certificate ca() {
        return ca;
    }

    @Override
    public PrivateKey caKey() {
        return caKey;
    }

    @Override
    public TokenKey tokenKey() {
        return tokenKey;
    }

    @Override
    public String bootstrapServers() {
        return stack.endpoints().bootstrapServers();
    }

    @Override
    public Duration handshakeTimeout() {
        return HANDSHAKE_TIMEOUT;
    }

    @Override
    public List<JsonNode> sallyport(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", dir.toString()));
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = SallyportCommand.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        if (exit != 0) {
            throw new IllegalStateException(all + " ended with " + exit + ": " + err);
        }
        return out.toString().lines().map(JSON::readTree).toList();
    }

    @Override
    public double alerts(String kind) {
        try {
            return MetricsPage.of(HttpClient.newHttpClient(), stack.endpoints().management(Endpoints.SESSION_SERVICE))
                    .text()
                    .lines()
                    .filter(line ->
                            line.startsWith("sallyport_alerts_total{") && line.contains("kind=\"" + kind + "\""))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Duration keepalive() {
        return KEEPALIVE;
    }
}
