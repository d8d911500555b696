package io.sallyport.local.capacity;

import io.sallyport.envelope.topic.RetentionTier;
import java.time.Duration;
import java.util.List;

/**
 * Where telemetry lies for how long. The times are those of the topics and of the export.
 *
 * @param replicas copies that the system itself keeps; an object store counts its own
 * @param medium whose price applies
 */
public record Tier(String name, Duration retention, int replicas, Medium medium, String what) {
    /** What a tier lies on. */
    public enum Medium {
        /** Disks of the brokers. */
        LOG,
        /** An object store. */
        OBJECT
    }

    /** The tiers of a cell; raw is counted once, as batches on the wire, and hot is a part of warm. */
    public static List<Tier> all() {
        return List.of(
                new Tier(
                        "raw",
                        RetentionTier.RAW.retention(),
                        1,
                        Medium.LOG,
                        "batches as received; replay after a bad normalizer"),
                new Tier(
                        "hot",
                        RetentionTier.HOT.retention(),
                        3,
                        Medium.LOG,
                        "structured, for live consumers; part of warm"),
                new Tier(
                        "warm",
                        RetentionTier.WARM.retention(),
                        3,
                        Medium.LOG,
                        "structured, for investigation and replay"),
                new Tier(
                        "cold",
                        RetentionTier.COLD.retention(),
                        1,
                        Medium.OBJECT,
                        "Parquet by customer and date, before compression"));
    }

    /** Bytes that lie there under a steady load. */
    public double bytes(Load load) {
        return load.bytesPerS() * retention.toSeconds() * replicas;
    }

    /** Whether another tier holds it too, so that it costs nothing more. */
    public boolean isPart() {
        return name.equals("hot");
    }
}
