package io.sallyport.fanout.config;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.topic.Sizing;
import io.sallyport.fanout.core.FanoutLimits;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set of a fan-out node besides its ports. Unknown keys under the prefix are refused at the
 * start.
 *
 * @param bootstrapServers of the Kafka cluster
 * @param node ordinal of this node among those of the fan-out, 0 to 1023
 * @param stateDir where it keeps the decider's stores and what it has read of messages
 * @param sizing which sizing of the topic catalogue this deployment uses
 * @param rack of the brokers that are near, mostly a zone of availability; empty where there is only one. Standbys are
 *     kept in another one
 * @param deciderThreads that share the partitions of `ingress`
 * @param auth whose tokens are accepted
 * @param limits of what may be published
 * @param requests how requests are answered
 */
@ConfigurationProperties(prefix = "sallyport.fanout", ignoreUnknownFields = false)
public record FanoutProperties(
        @DefaultValue("127.0.0.1:9092") String bootstrapServers,
        @DefaultValue("0") int node,
        @DefaultValue("./data/fanout-service") Path stateDir,
        @DefaultValue("local") Sizing sizing,
        @DefaultValue("") String rack,
        @DefaultValue("1") int deciderThreads,
        @DefaultValue Auth auth,
        @DefaultValue Limits limits,
        @DefaultValue Requests requests) {

    public FanoutProperties {
        require(!bootstrapServers.isBlank(), "bootstrap-servers is empty");
        require(node >= 0 && node <= 1_023, "node must be 0 to 1023");
        require(
                rack.matches("[A-Za-z0-9._-]{0,30}"),
                "rack must be at most 30 letters, digits, dots, dashes or underscores");
        require(deciderThreads >= 1 && deciderThreads <= 64, "decider-threads must be 1 to 64");
    }

    /**
     * Whose tokens are accepted.
     *
     * @param jwks JSON Web Key Set that signs tokens, read again when the file changes
     * @param issuer that every token must name
     * @param audience that every token must name; never that of the sensors
     */
    public record Auth(
            @DefaultValue("./data/credentials/jwks.json") Path jwks,
            @DefaultValue("sallyport") String issuer,
            @DefaultValue("sallyport-publisher") String audience) {

        public Auth {
            require(!issuer.isBlank(), "auth.issuer is empty");
            require(!audience.isBlank(), "auth.audience is empty");
            require(!audience.equals("sallyport-sensor"), "auth.audience must not be that of the sensors");
        }
    }

    /**
     * What may be published.
     *
     * @param maxTargets most targets of a message whose request names no bound
     * @param maxFrameBytes of the sensor link: a payload is at most 64 KiB less
     * @param jitterPerTarget window of deliveries per target
     * @param maxJitter widest window
     * @param previewTtl how long a preview's token holds
     */
    public record Limits(
            @DefaultValue("1000") int maxTargets,
            @DefaultValue("1048576") int maxFrameBytes,
            @DefaultValue("1ms") Duration jitterPerTarget,
            @DefaultValue("60s") Duration maxJitter,
            @DefaultValue("10m") Duration previewTtl) {

        public Limits {
            require(maxTargets >= 1, "limits.max-targets must be at least 1");
            require(
                    maxFrameBytes > FanoutLimits.FRAME_RESERVE_BYTES
                            && maxFrameBytes <= LinkLimits.DEFAULTS.maxFrameBytes(),
                    "limits.max-frame-bytes must be above 64 KiB and at most 1 MiB");
            require(!jitterPerTarget.isNegative(), "limits.jitter-per-target is negative");
            require(
                    !maxJitter.isNegative() && maxJitter.compareTo(Duration.ofSeconds(60)) <= 0,
                    "limits.max-jitter must be at most 60s");
            require(previewTtl.toMillis() > 0, "limits.preview-ttl must be positive");
        }

        FanoutLimits toFanoutLimits() {
            return new FanoutLimits(
                    maxTargets,
                    maxFrameBytes - FanoutLimits.FRAME_RESERVE_BYTES,
                    jitterPerTarget.toNanos() / 1_000,
                    maxJitter.toMillis(),
                    previewTtl.toMillis());
        }
    }

    /**
     * How requests are answered.
     *
     * @param appendTimeout after which an append counts as failed, its retries included
     * @param decisionTimeout for append and decision together
     * @param maxWaiting requests that wait for their decision at a time
     * @param maxWaitingPerCustomer the same, of one customer
     * @param maxLooksPerCustomer threads that wait for one customer's sake until control data is read to its end
     * @param maxBody largest body that is read
     * @param catchUpTimeout how long "unknown" is held back while control data is read to its end
     */
    public record Requests(
            @DefaultValue("10s") Duration appendTimeout,
            @DefaultValue("20s") Duration decisionTimeout,
            @DefaultValue("10000") int maxWaiting,
            @DefaultValue("1000") int maxWaitingPerCustomer,
            @DefaultValue("16") int maxLooksPerCustomer,
            @DefaultValue("8MB") DataSize maxBody,
            @DefaultValue("2s") Duration catchUpTimeout) {

        public Requests {
            require(appendTimeout.toMillis() >= 1_000, "requests.append-timeout must be at least 1s");
            require(
                    decisionTimeout.compareTo(appendTimeout) > 0,
                    "requests.decision-timeout must be above requests.append-timeout");
            require(maxWaiting >= 1, "requests.max-waiting must be at least 1");
            require(maxWaitingPerCustomer >= 1, "requests.max-waiting-per-customer must be at least 1");
            require(maxLooksPerCustomer >= 1, "requests.max-looks-per-customer must be at least 1");
            require(maxBody.toBytes() >= 2L << 20, "requests.max-body must be at least 2MB");
            require(catchUpTimeout.toMillis() >= 1, "requests.catch-up-timeout must be positive");
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("sallyport.fanout: " + message);
        }
    }
}
