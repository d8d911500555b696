package io.sallyport.e2e.link;

import java.net.InetSocketAddress;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The gateway under test, and what its operator would hand to whoever writes a sensor. */
interface LinkTarget {
    InetSocketAddress mtlsListener();

    InetSocketAddress tokenListener();

    X509Certificate ca();

    PrivateKey caKey();

    TokenKey tokenKey();

    String bootstrapServers();

    Duration handshakeTimeout();

    Duration keepalive();

    /** Runs {@code ./sallyport} on the stack, and gives its lines of JSON. */
    List<JsonNode> sallyport(String... arguments);

    /** What consumers of a topic read of a sensor by now, decoded. */
    default List<JsonNode> read(String topic, Sensor sensor) {
        return sallyport(
                "read", topic, "--customer", sensor.customerId(), "--sensor", sensor.sensorId(), "--timeout", "2");
    }

    /** How often the gateway raised an alert of this kind. */
    double alerts(String kind);

    /**
     * A token signing key that the gateway trusts.
     *
     * @param publicKey the raw 32 bytes of an Ed25519 key
     */
    record TokenKey(String keyId, PrivateKey privateKey, byte[] publicKey, String issuer) {}

    /** The one gateway of this test JVM, started at the first call and stopped with the JVM. */
    static LinkTarget shared() {
        return LocalStackTarget.SHARED;
    }
}
