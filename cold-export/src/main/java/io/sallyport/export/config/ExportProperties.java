package io.sallyport.export.config;

import io.sallyport.envelope.topic.Sizing;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Every key of the export, under {@code sallyport.export}.
 *
 * @param bootstrapServers brokers, {@code host:port} separated by commas
 * @param cell stands in every manifest
 * @param sizing which topic sizes the deployment was created with
 * @param rack of the brokers that are near, mostly a zone of availability; empty where there is only one. The log is
 *     read from there
 * @param folder where the files go, unless {@code s3.bucket} is set
 * @param s3 a bucket instead of a folder
 * @param scratchDir folder on the local disk for rows that wait; it may be lost
 * @param threads workers of this process, each with its own shards
 * @param rotation how long a row waits at most before it is in a file
 * @param rangeBytes of rows, as they are in the log, after which a range is cut whatever its age
 * @param fileBytes size of a file where there is enough to write
 * @param bufferBytes of rows in memory, for each thread
 * @param scratchBytes of rows on the local disk, for each thread
 * @param maintenance what is done to files afterwards
 * @param checkpoint who signs what stands in the log, and when
 */
@ConfigurationProperties(prefix = "sallyport.export", ignoreUnknownFields = false)
public record ExportProperties(
        @DefaultValue("127.0.0.1:9092") String bootstrapServers,
        @DefaultValue("local") String cell,
        @DefaultValue("local") Sizing sizing,
        @DefaultValue("") String rack,
        @DefaultValue("data/export") Path folder,
        @DefaultValue S3 s3,
        @DefaultValue("data/export-scratch") Path scratchDir,
        @DefaultValue("1") int threads,
        @DefaultValue("10m") Duration rotation,
        @DefaultValue("4GB") DataSize rangeBytes,
        @DefaultValue("128MB") DataSize fileBytes,
        @DefaultValue("64MB") DataSize bufferBytes,
        @DefaultValue("16GB") DataSize scratchBytes,
        @DefaultValue Files maintenance,
        @DefaultValue Signing checkpoint) {

    /**
     * The signing of checkpoints.
     *
     * @param keyFile Ed25519 key in PKCS#8, as PEM; without one nothing is signed
     * @param interval least time between two checkpoints
     * @param idleInterval a checkpoint is written as often although nothing changed
     * @param copyDir where each checkpoint is copied to, in a file of its own: a place that those who operate the export
     *     cannot rewrite
     */
    public record Signing(
            @Nullable Path keyFile,
            @DefaultValue("1s") Duration interval,
            @DefaultValue("1m") Duration idleInterval,
            @Nullable Path copyDir) {
        public Signing {
            require(
                    interval.toMillis() >= 100 && interval.compareTo(idleInterval) <= 0,
                    "checkpoint.interval must be 100ms or more, and not above checkpoint.idle-interval");
            require(copyDir == null || keyFile != null, "checkpoint.copy-dir needs checkpoint.key-file");
        }
    }

    /**
     * A bucket.
     *
     * @param bucket empty for none
     * @param prefix of every key; empty, or ends with a slash
     * @param region of the bucket
     * @param endpoint of a store that is not AWS; buckets then stand in the path
     * @param accessKey with {@code secretKey}; without both the environment tells who this is, as everywhere on AWS
     */
    public record S3(
            @DefaultValue("") String bucket,
            @DefaultValue("") String prefix,
            @DefaultValue("us-east-1") String region,
            @Nullable URI endpoint,
            @DefaultValue("") String accessKey,
            @DefaultValue("") String secretKey) {
        public S3 {
            require(prefix.isEmpty() || prefix.endsWith("/"), "s3.prefix must end with a slash");
            require(accessKey.isEmpty() == secretKey.isEmpty(), "s3.access-key and s3.secret-key belong together");
            require(endpoint == null || endpoint.isAbsolute(), "s3.endpoint must be an absolute address");
        }

        @Override
        public String toString() {
            return "S3[bucket=%s, prefix=%s, region=%s, endpoint=%s]".formatted(bucket, prefix, region, endpoint);
        }
    }

    /**
     * What becomes of files.
     *
     * @param every how often a shard's files are looked at
     * @param retentionDays after which a date's files are removed; less than `proof-segments` is kept
     * @param compactionDelay how long after its end a date is taken for complete
     * @param deletionDelay how long replaced files stay, for those who read them
     */
    public record Files(
            @DefaultValue("1m") Duration every,
            @DefaultValue("90") int retentionDays,
            @DefaultValue("2h") Duration compactionDelay,
            @DefaultValue("1h") Duration deletionDelay) {
        public Files {
            require(every.toMillis() >= 100, "maintenance.every must be 100ms or more");
            require(
                    retentionDays >= 1 && retentionDays <= 36_500,
                    "maintenance.retention-days must lie between 1 and 36500");
            require(!compactionDelay.isNegative(), "maintenance.compaction-delay must not be negative");
            require(!deletionDelay.isNegative(), "maintenance.deletion-delay must not be negative");
        }
    }

    public ExportProperties {
        require(!bootstrapServers.isBlank(), "bootstrap-servers must name a broker");
        require(
                cell.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}"),
                "cell must be 1 to 100 letters, digits, dots, dashes or underscores");
        require(
                rack.matches("[A-Za-z0-9._-]{0,30}"),
                "rack must be at most 30 letters, digits, dots, dashes or underscores");
        require(threads >= 1 && threads <= 64, "threads must lie between 1 and 64");
        require(rotation.toMillis() >= 100 && rotation.toHours() <= 24, "rotation must lie between 100ms and 24h");
        require(rangeBytes.toMegabytes() >= 1, "range-bytes must be 1MB or more");
        require(fileBytes.toMegabytes() >= 1 && fileBytes.toGigabytes() < 5, "file-bytes must lie between 1MB and 5GB");
        require(bufferBytes.toMegabytes() >= 1, "buffer-bytes must be 1MB or more");
        require(scratchBytes.compareTo(rangeBytes) >= 0, "scratch-bytes must not be below range-bytes");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException("sallyport.export." + otherwise);
        }
    }
}
