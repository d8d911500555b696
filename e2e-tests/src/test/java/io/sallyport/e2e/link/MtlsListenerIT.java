package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.Received.End;
import io.sallyport.e2e.link.Received.Frame;
import io.sallyport.e2e.link.proto.RejectCode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 1 of the page, mode {@code mtls}: which certificates name a sensor. */
class MtlsListenerIT {
    private static final Sensor SENSOR = new Sensor(Sensor.CUSTOMER, "mtls-names");

    @Test
    void shouldSpeakTls13() {
        try (Session session = Link.open(Sensor.fresh("mtls"))) {
            assertThat(session.client().protocol()).isEqualTo("TLSv1.3");
        }
    }

    @Test
    void shouldRefuseOlderTls() {
        var sensor = Sensor.fresh("mtls");
        for (var listener : List.of(Link.target().mtlsListener(), Link.target().tokenListener())) {
            var context = Link.certificates().of(sensor);
            try (SensorClient client = SensorClient.connectWith("TLSv1.2", listener, context)) {
                assertThat(client.next()).isInstanceOf(End.class);
            }
        }
    }

    @Test
    void shouldEndASessionWhoseCertificateExpires() {
        var sensor = Sensor.fresh("mtls-expires");
        var context = Link.certificates()
                .with(
                        KeyPurposeId.id_kp_clientAuth,
                        Duration.ofHours(-1),
                        Duration.ofSeconds(6),
                        ClientCertificates.uri(sensor.uri()));
        try (Session session = Link.connect(sensor, context)) {
            session.send(Frames.frame(Frames.SENSOR_START, sensor.start().build()))
                    .expectAccept();
            session.append(Event.of(1)).expectWatermark(1);
            session.client().setPatience(90);
            session.expectFinalReject(RejectCode.UNAUTHENTICATED);
        }
    }

    static Stream<Arguments> certificatesThatDoNotChain() {
        var known = Link.certificates();
        var stranger = ClientCertificates.ofAStranger(Link.target());
        var name = ClientCertificates.uri(SENSOR.uri());
        var auth = KeyPurposeId.id_kp_clientAuth;
        return Stream.of(
                arguments("none", known.none()),
                arguments("of another authority", stranger.of(SENSOR)),
                arguments("expired", known.with(auth, Duration.ofDays(-2), Duration.ofDays(-1), name)),
                arguments("not yet valid", known.with(auth, Duration.ofDays(1), Duration.ofDays(2), name)),
                arguments(
                        "for servers only",
                        known.with(KeyPurposeId.id_kp_serverAuth, Duration.ofDays(-1), Duration.ofDays(1), name)));
    }

    /** TLS itself may refuse them, so that no frame can be answered; a sensor is never accepted. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("certificatesThatDoNotChain")
    void shouldRefuseCertificatesThatDoNotChain(String what, SSLContext context) {
        try (Session session = Link.connect(SENSOR, context)) {
            session.send(Frames.frame(Frames.SENSOR_START, SENSOR.start().build()));
            Received answer = session.client().next();
            if (answer instanceof Frame frame) {
                assertThat(frame.type()).isEqualTo(Frames.REJECT);
                assertThat(frame.reject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
                answer = session.client().next();
            }
            assertThat(answer).isInstanceOf(End.class);
        }
    }

    static Stream<Arguments> namesThatBindNothing() {
        var uri = ClientCertificates.uri(SENSOR.uri());
        return Stream.of(
                arguments("no name at all", new GeneralName[0]),
                arguments("a DNS name only", names(ClientCertificates.dns(SENSOR.sensorId()))),
                arguments("the same URI twice", names(uri, uri)),
                arguments("two URIs", names(uri, ClientCertificates.uri("sensor://globex/s-1"))),
                arguments("two URIs, one of another scheme", names(uri, ClientCertificates.uri("spiffe://a/b"))),
                arguments("another scheme", uris("spiffe://acme/mtls-names")),
                arguments("a scheme that begins alike", uris("sensors://acme/mtls-names")),
                arguments("no scheme", uris("acme/mtls-names")),
                arguments("no sensor", uris("sensor://acme")),
                arguments("an empty sensor", uris("sensor://acme/")),
                arguments("an empty customer", uris("sensor:///mtls-names")),
                arguments("one slash", uris("sensor:/acme/mtls-names")),
                arguments("three parts", uris("sensor://acme/mtls-names/x")),
                arguments("a slash at the end", uris("sensor://acme/mtls-names/")),
                arguments("a port", uris("sensor://acme:1/mtls-names")),
                arguments("a user", uris("sensor://root@acme/mtls-names")),
                arguments("a query", uris("sensor://acme/mtls-names?x")),
                arguments("a fragment", uris("sensor://acme/mtls-names#x")),
                arguments("a percent sign", uris("sensor://acme/mtls%2Dnames")),
                arguments("two dots", uris("sensor://acme/..")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("namesThatBindNothing")
    void shouldRefuseNamesThatBindNothing(String what, GeneralName[] names) {
        try (Session session = Link.connect(SENSOR, Link.certificates().withNames(names))) {
            session.send(Frames.frame(Frames.SENSOR_START, SENSOR.start().build()))
                    .expectFinalReject(RejectCode.UNAUTHENTICATED);
        }
    }

    @Test
    void shouldTakeExactlyOneUriNextToNamesOfOtherKinds() {
        var sensor = Sensor.fresh("mtls");
        var context = Link.certificates()
                .withNames(ClientCertificates.dns("host.example"), ClientCertificates.uri(sensor.uri()));
        try (Session session = Link.connect(sensor, context)) {
            session.send(Frames.frame(Frames.SENSOR_START, sensor.start().build()))
                    .expectAccept();
        }
    }

    @Test
    void shouldCompareNamesByteForByte() {
        var sensor = new Sensor(Sensor.CUSTOMER, "Case-Sensitive");
        for (Sensor other : new Sensor[] {
            new Sensor(Sensor.CUSTOMER, "case-sensitive"),
            new Sensor("ACME", "Case-Sensitive"),
            new Sensor(Sensor.CUSTOMER, "Case-Sensitive2"),
            new Sensor(Sensor.CUSTOMER, "Case-Sensitiv")
        }) {
            Link.refused(
                    sensor, Frames.frame(Frames.SENSOR_START, other.start().build()), RejectCode.IDENTITY_MISMATCH);
        }
    }

    @Test
    void shouldKeepTheNameThroughAResumedTlsSession() {
        var sensor = Sensor.fresh("mtls-resumed");
        var context = Link.certificates().of(sensor);
        for (int i = 0; i < 3; i++) {
            try (Session session = Link.connect(sensor, context)) {
                session.send(Frames.frame(Frames.SENSOR_START, sensor.start().build()))
                        .expectAccept();
            }
            try (Session session = Link.connect(sensor, context)) {
                var other = new Sensor(Sensor.OTHER_CUSTOMER, sensor.sensorId());
                session.send(Frames.frame(Frames.SENSOR_START, other.start().build()))
                        .expectFinalReject(RejectCode.IDENTITY_MISMATCH);
            }
        }
    }

    @Test
    void shouldNotTakeATokenForACertificate() {
        var proven = Sensor.fresh("mtls");
        var other = Sensor.fresh("mtls");
        var start = other.start().setToken(Link.tokens().of(other)).build();
        Link.refused(proven, Frames.frame(Frames.SENSOR_START, start), RejectCode.IDENTITY_MISMATCH);
    }

    private static GeneralName[] uris(String uri) {
        return names(ClientCertificates.uri(uri));
    }

    private static GeneralName[] names(GeneralName... names) {
        return names;
    }
}
