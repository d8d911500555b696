package io.sallyport.session.config;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.Sizing;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set of a session node. Unknown keys under the prefix are refused at the start.
 *
 * @param bootstrapServers of the Kafka cluster
 * @param node ordinal of this node, 0 … nodes.max - 1; its partition of `epoch-answers` and `session-push`
 * @param stateDir where the epoch authority keeps its stores
 * @param authorityEnabled whether this process also runs the epoch authority
 * @param sizing which sizing of the topic catalogue this deployment uses
 * @param rack of the brokers that are near, mostly a zone of availability; empty where there is only one. The epoch
 *     authority keeps its standbys in another one
 * @param limits of the sensor link, as told in ACCEPT
 * @param link timers of the sensor link
 * @param listeners where sensors connect; at least one is enabled
 * @param admission who may connect, and how fast
 * @param memory bounds of what was received and is not yet durable
 * @param append the producer of the raw log
 * @param retention the watch over what the raw log may throw away
 * @param customers where customers are looked up
 * @param flow what each customer's sensors may bring in
 */
@ConfigurationProperties(prefix = "sallyport.session", ignoreUnknownFields = false)
public record SessionProperties(
        @DefaultValue("127.0.0.1:9092") String bootstrapServers,
        @DefaultValue("0") int node,
        @DefaultValue("./data/session-service") Path stateDir,
        @DefaultValue("true") boolean authorityEnabled,
        @DefaultValue("local") Sizing sizing,
        @DefaultValue("") String rack,
        @DefaultValue Limits limits,
        @DefaultValue Link link,
        @DefaultValue Listeners listeners,
        @DefaultValue Admission admission,
        @DefaultValue Memory memory,
        @DefaultValue Append append,
        @DefaultValue Retention retention,
        @DefaultValue Customers customers,
        @DefaultValue Flow flow) {

    public SessionProperties {
        require(!bootstrapServers.isBlank(), "bootstrap-servers is empty");
        require(
                rack.matches("[A-Za-z0-9._-]{0,30}"),
                "rack must be at most 30 letters, digits, dots, dashes or underscores");
        int nodes = Math.min(SessionId.NODES, sizing.topics().nodesMax());
        require(node >= 0 && node < nodes, "node must be 0 to " + (nodes - 1) + " with this sizing");
        require(
                memory.connectionBytes().toBytes() >= limits.maxFrameBytes(),
                "memory.connection-bytes is below one frame");
        require(
                memory.nodeBytes().toBytes() >= memory.connectionBytes().toBytes(),
                "memory.node-bytes is below memory.connection-bytes");
        require(
                memory.customerBytes().toBytes() >= memory.connectionBytes().toBytes()
                        && memory.shardBytes().toBytes()
                                >= memory.connectionBytes().toBytes(),
                "memory.customer-bytes or memory.shard-bytes is below memory.connection-bytes");
        require(
                memory.unfinishedBytes().toBytes() >= limits.maxFrameBytes(),
                "memory.unfinished-bytes is below one frame");
    }

    /** See {@link LinkLimits}. */
    public record Limits(
            @DefaultValue("1048576") int maxFrameBytes,
            @DefaultValue("512") int maxBatchEvents,
            @DefaultValue("65536") int maxEventBytes,
            @DefaultValue("4194304") int maxBatchBytes,
            @DefaultValue("1024") int maxAckRanges,
            @DefaultValue("1024") int maxUnackedEvents) {

        public Limits {
            new LinkLimits(maxFrameBytes, maxBatchEvents, maxEventBytes, maxBatchBytes, maxAckRanges, maxUnackedEvents);
        }

        public LinkLimits toLinkLimits() {
            return new LinkLimits(
                    maxFrameBytes, maxBatchEvents, maxEventBytes, maxBatchBytes, maxAckRanges, maxUnackedEvents);
        }
    }

    /**
     * Timers of the sensor link.
     *
     * @param handshakeTimeout from the TCP accept to a complete SENSOR_START, TLS included
     * @param keepalive idle time before a PING; three unanswered ones end the session
     * @param stallTimeout how long a sensor may not read what is sent to it
     * @param drainDeadline how long a drain may take before the sessions are closed
     * @param drainJitter over which the sensors of a drained node spread their reconnects, at least
     * @param drainReconnectsPerSecond how many a drained node sends to the others; more sessions spread over longer
     */
    public record Link(
            @DefaultValue("10s") Duration handshakeTimeout,
            @DefaultValue("60s") Duration keepalive,
            @DefaultValue("30s") Duration stallTimeout,
            @DefaultValue("20s") Duration drainDeadline,
            @DefaultValue("10s") Duration drainJitter,
            @DefaultValue("1000") int drainReconnectsPerSecond) {

        public Link {
            requirePositive(handshakeTimeout, "link.handshake-timeout");
            requirePositive(keepalive, "link.keepalive");
            requirePositive(stallTimeout, "link.stall-timeout");
            requirePositive(drainDeadline, "link.drain-deadline");
            require(!drainJitter.isNegative(), "link.drain-jitter is negative");
            require(drainReconnectsPerSecond >= 1, "link.drain-reconnects-per-second must be at least 1");
        }
    }

    /**
     * Where sensors connect.
     *
     * @param eventLoops threads that serve connections; 0 = one per processor
     * @param tls12 whether TLS 1.2 is offered beside 1.3
     * @param backlog connections that the system completes before they are accepted
     * @param ticketKeys file with the keys of TLS session tickets, the same on all nodes and read again when it changes:
     *     one key of 48 bytes a line in base64, the newest first; empty = every connection makes a full handshake
     */
    public record Listeners(
            @DefaultValue Mtls mtls,
            @DefaultValue Token token,
            @DefaultValue("0") int eventLoops,
            @DefaultValue("false") boolean tls12,
            @DefaultValue("4096") int backlog,
            @DefaultValue("") String ticketKeys) {

        public Listeners {
            require(mtls.enabled() || token.enabled(), "no listener is enabled");
            require(eventLoops >= 0 && eventLoops <= 1_024, "listeners.event-loops must be 0 to 1024");
            require(backlog >= 1, "listeners.backlog must be at least 1");
        }
    }

    /**
     * The listener for client certificates.
     *
     * @param port 0 takes one that is free
     * @param certificate PEM chain of the gateway
     * @param privateKey its PEM key
     * @param clientCa PEM certificates that client certificates chain to
     * @param crl PEM or DER revocation lists of those, read again when the file changes; empty = none
     */
    public record Mtls(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("127.0.0.1") String host,
            @DefaultValue("7443") int port,
            @DefaultValue("") String certificate,
            @DefaultValue("") String privateKey,
            @DefaultValue("") String clientCa,
            @DefaultValue("") String crl) {

        public Mtls {
            require(port >= 0 && port <= 0xFFFF, "listeners.mtls.port must be 0 to 65535");
            if (enabled) {
                require(!certificate.isBlank(), "listeners.mtls.certificate is missing");
                require(!privateKey.isBlank(), "listeners.mtls.private-key is missing");
                require(!clientCa.isBlank(), "listeners.mtls.client-ca is missing");
            }
        }
    }

    /**
     * The listener for tokens.
     *
     * @param port 0 takes one that is free
     * @param certificate PEM chain of the gateway
     * @param privateKey its PEM key
     * @param jwks JSON Web Key Set that signs tokens, read again when the file changes
     * @param issuer that every token must name
     * @param allowFleetTokens whether a token without `sub` speaks for every sensor of its customer
     */
    public record Token(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("127.0.0.1") String host,
            @DefaultValue("7444") int port,
            @DefaultValue("") String certificate,
            @DefaultValue("") String privateKey,
            @DefaultValue("") String jwks,
            @DefaultValue("sallyport") String issuer,
            @DefaultValue("false") boolean allowFleetTokens) {

        public Token {
            require(port >= 0 && port <= 0xFFFF, "listeners.token.port must be 0 to 65535");
            if (enabled) {
                require(!certificate.isBlank(), "listeners.token.certificate is missing");
                require(!privateKey.isBlank(), "listeners.token.private-key is missing");
                require(!jwks.isBlank(), "listeners.token.jwks is missing");
                require(!issuer.isBlank(), "listeners.token.issuer is empty");
            }
        }
    }

    /**
     * Who may connect, and how fast.
     *
     * @param handshakesPerSecond per client address, IPv4 by /24 and IPv6 by /56; also the burst
     * @param maxAddresses addresses that are remembered at a time
     * @param maxHandshakes connections at a time that have sent their ClientHello and have no session; beyond, a connection
     *     is closed at once
     * @param maxHandshakesPerAddress the same of one client address
     * @param maxHandshakesPerName the same for one server name (SNI); those without one count as one name
     * @param maxFullHandshakes the same without a session ticket; the rest is left to sensors that have one
     * @param maxSilent connections at a time whose ClientHello is not there yet; beyond, the oldest is closed
     * @param maxSilentPerAddress the same of one client address; beyond, the oldest of that address is closed
     * @param maxSessions sessions on this node
     * @param connectsPerCustomer connects per second of one customer's sensors on this node; the others are told when to
     *     come back
     * @param maxSessionsPerCustomer sessions of one customer's sensors on this node
     * @param credentialRecheck how often a live session's credential is looked at again
     */
    public record Admission(
            @DefaultValue("200") int handshakesPerSecond,
            @DefaultValue("65536") int maxAddresses,
            @DefaultValue("4096") int maxHandshakes,
            @DefaultValue("1024") int maxHandshakesPerAddress,
            @DefaultValue("4096") int maxHandshakesPerName,
            @DefaultValue("3072") int maxFullHandshakes,
            @DefaultValue("4096") int maxSilent,
            @DefaultValue("1024") int maxSilentPerAddress,
            @DefaultValue("18000") int maxSessions,
            @DefaultValue("500") int connectsPerCustomer,
            @DefaultValue("10000") int maxSessionsPerCustomer,
            @DefaultValue("30s") Duration credentialRecheck) {

        public Admission {
            require(handshakesPerSecond >= 1, "admission.handshakes-per-second must be at least 1");
            require(maxAddresses >= 1, "admission.max-addresses must be at least 1");
            require(maxHandshakes >= 1, "admission.max-handshakes must be at least 1");
            require(maxHandshakesPerAddress >= 1, "admission.max-handshakes-per-address must be at least 1");
            require(maxHandshakesPerName >= 1, "admission.max-handshakes-per-name must be at least 1");
            require(maxFullHandshakes >= 1, "admission.max-full-handshakes must be at least 1");
            require(maxSilent >= 1, "admission.max-silent must be at least 1");
            require(maxSilentPerAddress >= 1, "admission.max-silent-per-address must be at least 1");
            require(maxSessions >= 1, "admission.max-sessions must be at least 1");
            require(
                    connectsPerCustomer >= 1 && connectsPerCustomer <= 1_000_000,
                    "admission.connects-per-customer must be 1 to 1000000");
            require(maxSessionsPerCustomer >= 1, "admission.max-sessions-per-customer must be at least 1");
            requirePositive(credentialRecheck, "admission.credential-recheck");
            require(
                    credentialRecheck.compareTo(Duration.ofSeconds(60)) <= 0,
                    "admission.credential-recheck must be at most 60s: a revoked credential ends within that");
        }
    }

    /**
     * Bounds of received bytes.
     *
     * @param nodeBytes received and not yet durable, on this node; above, sockets are not read
     * @param customerBytes the same of one customer
     * @param shardBytes the same of one shard of the raw log
     * @param connectionBytes the same of one connection
     * @param unfinishedBytes of frames that are not complete yet, on this node; above, the oldest one ends its session
     */
    public record Memory(
            @DefaultValue("64MB") DataSize nodeBytes,
            @DefaultValue("32MB") DataSize customerBytes,
            @DefaultValue("32MB") DataSize shardBytes,
            @DefaultValue("4MB") DataSize connectionBytes,
            @DefaultValue("64MB") DataSize unfinishedBytes) {}

    /**
     * The producer of the raw log.
     *
     * @param deliveryTimeout after which an append counts as failed, its retries included
     * @param requestTimeout of one attempt
     * @param linger how long a record waits for others to share its request
     * @param maxRequestBytes largest record that the producer sends
     */
    public record Append(
            @DefaultValue("20s") Duration deliveryTimeout,
            @DefaultValue("5s") Duration requestTimeout,
            @DefaultValue("2ms") Duration linger,
            @DefaultValue("1114112B") DataSize maxRequestBytes) {

        public Append {
            requirePositive(requestTimeout, "append.request-timeout");
            require(!linger.isNegative(), "append.linger is negative");
            require(
                    deliveryTimeout.compareTo(requestTimeout.plus(linger)) >= 0,
                    "append.delivery-timeout is below append.request-timeout plus append.linger");
        }
    }

    /**
     * The watch over what the raw log may throw away before it is normalized.
     *
     * @param normalizerGroup what the consumer groups of the normalizer begin with, one for each generation; the one that is
     *     furthest serves live
     * @param lookInterval between two looks at its offsets
     * @param staleAfter age of a look that can no longer be relied on
     */
    public record Retention(
            @DefaultValue("sallyport-normalizer-") String normalizerGroup,
            @DefaultValue("5s") Duration lookInterval,
            @DefaultValue("30s") Duration staleAfter) {

        public Retention {
            require(!normalizerGroup.isBlank(), "retention.normalizer-group is empty");
            requirePositive(lookInterval, "retention.look-interval");
            require(
                    staleAfter.compareTo(lookInterval) > 0,
                    "retention.stale-after must be above retention.look-interval");
        }
    }

    /**
     * Where customers are looked up: the topic `customers`, or a registry over HTTP.
     *
     * @param registry address that is asked with {@code GET <registry>/<customer_id>}: 200 = active, 403, 404 or 410 = not;
     *     empty = the topic
     * @param refresh age from which an answer of the registry is asked for again; with the 5 s in which live sessions look,
     *     the time until a suspension ends them
     * @param timeout of one request
     * @param maxCustomers that are remembered; at least the hard cap of tenants of the cell
     */
    public record Customers(
            @DefaultValue("") String registry,
            @DefaultValue("5s") Duration refresh,
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("10000") int maxCustomers) {

        public Customers {
            require(
                    registry.isEmpty() || registry.startsWith("http://") || registry.startsWith("https://"),
                    "customers.registry is no http address");
            requirePositive(refresh, "customers.refresh");
            requirePositive(timeout, "customers.timeout");
            require(maxCustomers >= 100, "customers.max-customers must be at least 100");
        }
    }

    /**
     * What each customer's sensors may bring in on all nodes, together. A connected sensor is sure of an equal part, and
     * may take what the others leave over.
     *
     * @param bytesPerSecond decompressed
     * @param floorBytesPerSecond what is left to a customer that used its daily quota up
     */
    public record Flow(
            @DefaultValue("256MB") DataSize bytesPerSecond,
            @DefaultValue("200000") long eventsPerSecond,
            @DefaultValue("256KB") DataSize floorBytesPerSecond) {

        public Flow {
            require(bytesPerSecond.toBytes() >= 1, "flow.bytes-per-second must be positive");
            require(eventsPerSecond >= 1, "flow.events-per-second must be positive");
            require(floorBytesPerSecond.toBytes() >= 1, "flow.floor-bytes-per-second must be positive");
        }
    }

    private static void requirePositive(Duration duration, String name) {
        require(duration.toMillis() > 0, name + " must be positive");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("sallyport.session: " + message);
        }
    }
}
