import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.SensorStart;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * The smallest sensor that does something: it connects to the token listener, sends three events, waits until they are
 * durable, and goes. A real sensor also keeps its epoch, next_seq and unacknowledged events on disk: see
 * docs/sensor-link.md, section 6, and the module sensor-sim.
 *
 * <p>Arguments: customer, sensor, token. The environment may name the stack: SALLYPORT_DATA, SALLYPORT_TOKEN_PORT.
 */
public final class ExampleSensor {
    private static final int PROCESS_START = 4;

    public static void main(String[] args) throws Exception {
        if (args.length != 3) {
            System.err.println("arguments: customer, sensor, token");
            System.exit(2);
        }
        Path ca = Path.of(System.getenv().getOrDefault("SALLYPORT_DATA", "data"), "credentials", "ca.pem");
        int port = Integer.parseInt(System.getenv().getOrDefault("SALLYPORT_TOKEN_PORT", "7444"));
        try {
            run(ca, port, args[0], args[1], args[2]);
        } catch (NoSuchFileException e) {
            System.err.println("no " + ca + ": SALLYPORT_DATA names the data folder of the stack, where it is not ./data");
            System.exit(1);
        } catch (ConnectException | SSLException e) {
            System.err.println("127.0.0.1:" + port + ": " + e.getMessage()
                    + "\nSALLYPORT_TOKEN_PORT names the port that ./sallyport up prints as \"sensor link, tokens\"");
            System.exit(1);
        } catch (IOException e) {
            System.err.println("127.0.0.1:" + port + ": " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Path ca, int port, String customer, String sensor, String token) throws Exception {
        try (var socket = (SSLSocket) trusting(ca).getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.3"});
            var in = new DataInputStream(socket.getInputStream());
            var out = new DataOutputStream(socket.getOutputStream());

            // 1. Say who we are. No epoch: this sensor has no state yet, so the cloud grants a new one.
            var start = SensorStart.newBuilder()
                    .setProtocolVersion(1)
                    .setCustomerId(customer)
                    .setSensorId(sensor)
                    .setNextSeq(1)
                    .setToken(token)
                    .build();
            send(out, FrameType.SENSOR_START, start.toByteArray());
            Accept accept = Accept.parseFrom(expect(in, FrameType.ACCEPT));
            System.out.println("accepted in epoch " + Integer.toUnsignedString(accept.getEpoch()));

            // 2. Send three events as one batch, numbered from 1 in that epoch.
            var batch = new BatchBuilder();
            for (int seq = 1; seq <= 3; seq++) {
                String payload = "{\"image\":\"/usr/bin/example\",\"pid\":" + (1000 + seq) + "}";
                batch.add(seq, nowUs(), PROCESS_START, 1, ByteBuffer.wrap(payload.getBytes(StandardCharsets.UTF_8)));
            }
            long epoch = Integer.toUnsignedLong(accept.getEpoch());
            send(out, FrameType.BATCH, batch.build(epoch, 1, BatchHeader.CODEC_NONE, 0));

            // 3. Wait until the cloud holds them. Only now may a sensor forget them.
            Ack ack;
            do {
                ack = Ack.read(ByteBuffer.wrap(expect(in, FrameType.ACK))).orElseThrow();
            } while (ack.watermark() < 3);
            System.out.println("acknowledged up to " + ack.watermark());
        }
    }

    private static void send(DataOutputStream out, FrameType type, byte[] body) throws IOException {
        out.writeInt(1 + body.length);
        out.writeByte(type.code());
        out.write(body);
        out.flush();
    }

    /** The next frame of that type; passes over others (a longer-lived sensor answers each PING with a PONG). */
    private static byte[] expect(DataInputStream in, FrameType wanted) throws IOException {
        while (true) {
            var body = new byte[in.readInt() - 1];
            FrameType type = FrameType.of(in.readByte()).orElseThrow();
            in.readFully(body);
            if (type == wanted) {
                return body;
            }
            if (type == FrameType.REJECT) {
                Reject reject = Reject.parseFrom(body);
                throw new IOException("refused: " + reject.getCode() + " " + reject.getDetail());
            }
        }
    }

    private static SSLContext trusting(Path ca) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        try (var pem = Files.newInputStream(ca)) {
            store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return tls;
    }

    private static long nowUs() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
