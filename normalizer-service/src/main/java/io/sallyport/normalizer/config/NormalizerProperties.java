package io.sallyport.normalizer.config;

import io.sallyport.envelope.topic.Sizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.core.Limits;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Every key of the normalizer, under {@code sallyport.normalizer}.
 *
 * @param bootstrapServers brokers, {@code host:port} separated by commas
 * @param stateDir folder of the state stores; it may be lost, and is then rebuilt from the changelog
 * @param instanceId names this instance for ever: a restart under the same name takes its partitions up at once. Two
 *     running instances must not share one
 * @param sizing which topic sizes the deployment was created with
 * @param rack of the brokers that are near, mostly a zone of availability; empty where there is only one. `raw` is
 *     read from there, and a standby is kept in another one
 * @param streamThreads threads that handle partitions
 * @param commitInterval how long a transaction stays open at most; readers of `structured` wait as long
 * @param gapGrace how long a hole may stay unexplained
 * @param gapGraceMax how long new sessions may put that off in all
 * @param maxRanges most settled ranges above the watermark of an epoch
 * @param declaredRanges most ranges of an epoch that are remembered as settled without content
 * @param sessionTimeout how long the partitions of an instance that was killed wait for its return; then others take them.
 *     The export takes an ended generation for silent after a minute
 * @param snapshotInterval how often the dedupe state of each shard is copied; a replay begins at a copy
 */
@ConfigurationProperties(prefix = "sallyport.normalizer", ignoreUnknownFields = false)
public record NormalizerProperties(
        @DefaultValue("127.0.0.1:9092") String bootstrapServers,
        @DefaultValue("local") String cell,
        @DefaultValue("data/normalizer") Path stateDir,
        @DefaultValue("normalizer-0") String instanceId,
        @DefaultValue("local") Sizing sizing,
        @DefaultValue("") String rack,
        @DefaultValue("1") int streamThreads,
        @DefaultValue("100ms") Duration commitInterval,
        @DefaultValue("60s") Duration gapGrace,
        @DefaultValue("1h") Duration gapGraceMax,
        @DefaultValue("4096") int maxRanges,
        @DefaultValue("1024") int declaredRanges,
        @DefaultValue("10s") Duration sessionTimeout,
        @DefaultValue("1h") Duration snapshotInterval) {

    public NormalizerProperties {
        require(!bootstrapServers.isBlank(), "bootstrap-servers must name a broker");
        require(
                cell.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}"),
                "cell must be 1 to 100 letters, digits, dots, dashes or underscores");
        require(
                instanceId.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}"),
                "instance-id must be 1 to 100 letters, digits, dots, dashes or underscores");
        require(
                rack.matches("[A-Za-z0-9._-]{0,30}"),
                "rack must be at most 30 letters, digits, dots, dashes or underscores");
        require(streamThreads >= 1 && streamThreads <= 64, "stream-threads must lie between 1 and 64");
        require(
                commitInterval.toMillis() >= 10 && commitInterval.toMillis() <= 5_000,
                "commit-interval must lie between 10ms and 5s");
        require(!gapGrace.isNegative(), "gap-grace must not be negative");
        require(gapGraceMax.compareTo(gapGrace) >= 0, "gap-grace-max must not be below gap-grace");
        require(maxRanges >= 1 && maxRanges <= 4_096, "max-ranges must lie between 1 and 4096");
        require(declaredRanges >= 1 && declaredRanges <= 4_096, "declared-ranges must lie between 1 and 4096");
        require(
                sessionTimeout.toMillis() >= 1_000 && sessionTimeout.toSeconds() <= 30,
                "session-timeout must lie between 1s and 30s; brokers bound it too");
        require(
                snapshotInterval.toSeconds() >= 1
                        && snapshotInterval.compareTo(Topics.RAW.retention().dividedBy(2)) <= 0,
                "snapshot-interval must lie between 1s and half of the retention of raw, "
                        + Topics.RAW.retention().dividedBy(2).toMinutes() + "m");
    }

    /** What the decisions are bounded by. */
    Limits limits() {
        return Limits.ofRules(gapGrace.toMillis(), gapGraceMax.toMillis(), maxRanges, declaredRanges);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException("sallyport.normalizer." + otherwise);
        }
    }
}
