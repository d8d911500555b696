package io.sallyport.router.config;

import io.sallyport.envelope.topic.Sizing;
import io.sallyport.router.core.Limits;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set of a router instance. Unknown keys under the prefix are refused at the start.
 *
 * @param bootstrapServers of the Kafka cluster
 * @param instance ordinal of this instance among those of the router
 * @param stateDir where it keeps its stores
 * @param sizing which sizing of the topic catalogue this deployment uses
 * @param rack of the brokers that are near, mostly a zone of availability; empty where there is only one. Standbys are
 *     kept in another one
 * @param nodeTimeout a gateway node without a sign of life for so long is dead
 * @param streams how the topology runs
 * @param queue bounds of each sensor's queue
 */
@ConfigurationProperties(prefix = "sallyport.router", ignoreUnknownFields = false)
public record RouterProperties(
        @DefaultValue("127.0.0.1:9092") String bootstrapServers,
        @DefaultValue("0") int instance,
        @DefaultValue("./data/command-router") Path stateDir,
        @DefaultValue("local") Sizing sizing,
        @DefaultValue("") String rack,
        @DefaultValue("30s") Duration nodeTimeout,
        @DefaultValue Streams streams,
        @DefaultValue Queue queue) {

    public RouterProperties {
        require(!bootstrapServers.isBlank(), "bootstrap-servers is empty");
        require(instance >= 0, "instance is negative");
        require(
                rack.matches("[A-Za-z0-9._-]{0,30}"),
                "rack must be at most 30 letters, digits, dots, dashes or underscores");
        require(nodeTimeout.toMillis() >= 1_000, "node-timeout must be at least 1s");
    }

    /**
     * How the topology runs.
     *
     * @param threads that work on tasks
     * @param commitInterval how often a transaction ends: readers of the status see changes that much later
     */
    public record Streams(
            @DefaultValue("1") int threads,
            @DefaultValue("50ms") Duration commitInterval) {

        public Streams {
            require(threads >= 1 && threads <= 64, "streams.threads must be 1 to 64");
            require(
                    commitInterval.toMillis() >= 1 && commitInterval.toMillis() <= 5_000,
                    "streams.commit-interval must be 1ms to 5s");
        }
    }

    /**
     * Bounds of each sensor's queue.
     *
     * @param cap entries that are pending or in flight; beyond, one is evicted or the next rejected
     * @param urgentWindow entries of the urgent lane in flight at a time
     * @param window entries of all other lanes in flight at a time
     * @param windowBytes payload bytes in flight at a time; one message is always allowed
     * @param repeatAfter an unanswered push is repeated after this, doubling
     * @param repeatAtMost longest time between two repetitions
     * @param recheck after which a push that could not be made is tried again
     * @param statusRetention how long a target's state is kept after the message's expiry
     */
    public record Queue(
            @DefaultValue("256") int cap,
            @DefaultValue("64") int urgentWindow,
            @DefaultValue("4") int window,
            @DefaultValue("4MB") DataSize windowBytes,
            @DefaultValue("30s") Duration repeatAfter,
            @DefaultValue("10m") Duration repeatAtMost,
            @DefaultValue("5s") Duration recheck,
            @DefaultValue("7d") Duration statusRetention) {

        public Queue {
            require(cap <= 4_096, "queue.cap must be at most 4096: a queue is one record");
            limits(cap, urgentWindow, window, windowBytes, repeatAfter, repeatAtMost, recheck, statusRetention);
        }

        public Limits toLimits() {
            return limits(cap, urgentWindow, window, windowBytes, repeatAfter, repeatAtMost, recheck, statusRetention);
        }

        private static Limits limits(
                int cap,
                int urgentWindow,
                int window,
                DataSize windowBytes,
                Duration repeatAfter,
                Duration repeatAtMost,
                Duration recheck,
                Duration statusRetention) {
            return new Limits(
                    cap,
                    new Limits.Window(urgentWindow, window, windowBytes.toBytes()),
                    new Limits.Repeat(us(repeatAfter), us(repeatAtMost)),
                    us(recheck),
                    us(statusRetention));
        }

        private static long us(Duration duration) {
            return duration.toMillis() * 1_000;
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("sallyport.router: " + message);
        }
    }
}
