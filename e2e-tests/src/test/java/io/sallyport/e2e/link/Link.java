package io.sallyport.e2e.link;

import io.sallyport.e2e.link.proto.Reject;
import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import javax.net.ssl.SSLContext;

/** Opens connections and sessions to the gateway under test. */
final class Link {
    private static final LinkTarget TARGET = LinkTarget.shared();
    private static final ClientCertificates CERTIFICATES = ClientCertificates.of(TARGET);
    private static final Tokens TOKENS = new Tokens(TARGET.tokenKey());
    private static final SSLContext NO_CERTIFICATE = CERTIFICATES.none();
    private static final RawTopic RAW = new RawTopic(TARGET.bootstrapServers());

    private Link() {}

    static LinkTarget target() {
        return TARGET;
    }

    static ClientCertificates certificates() {
        return CERTIFICATES;
    }

    static Tokens tokens() {
        return TOKENS;
    }

    static RawTopic raw() {
        return RAW;
    }

    /** A connection to the mtls listener with this sensor's certificate; nothing is sent yet. */
    static Session connect(Sensor sensor) {
        return connect(sensor, CERTIFICATES.of(sensor));
    }

    static Session connect(Sensor sensor, SSLContext context) {
        return new Session(sensor, SensorClient.connect(TARGET.mtlsListener(), context));
    }

    /** A connection to the token listener; nothing is sent yet. */
    static Session connectToTokenListener(Sensor sensor) {
        return new Session(sensor, SensorClient.connect(TARGET.tokenListener(), NO_CERTIFICATE));
    }

    /** A session of a new sensor, in its first epoch. */
    static Session open(Sensor sensor) {
        return open(sensor, sensor.start());
    }

    static Session open(Sensor sensor, SensorStart.Builder start) {
        return connect(sensor)
                .send(Frames.frame(Frames.SENSOR_START, start.build()))
                .expectAccept();
    }

    /** Sends a start on a connection of its own, and expects that it is refused. */
    static Reject refused(Sensor sensor, byte[] startFrame, RejectCode code) {
        try (Session session = connect(sensor)) {
            return session.send(startFrame).expectFinalReject(code);
        }
    }

    /** The same on the token listener. */
    static Reject refusedToken(SensorStart.Builder start, RejectCode code) {
        var sensor = new Sensor(start.getCustomerId(), start.getSensorId());
        try (Session session = connectToTokenListener(sensor)) {
            return session.send(Frames.frame(Frames.SENSOR_START, start.build()))
                    .expectFinalReject(code);
        }
    }

    static void acceptedToken(SensorStart.Builder start) {
        var sensor = new Sensor(start.getCustomerId(), start.getSensorId());
        try (Session session = connectToTokenListener(sensor)) {
            session.send(Frames.frame(Frames.SENSOR_START, start.build())).expectAccept();
        }
    }
}
