package io.sallyport.export.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.identity.CustomerLabels;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.SegmentMatcher;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of the export. A version is counted where its manifest was written. */
public final class ExportMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(ExportMetrics.class);

    private final MeterRegistry registry;
    private final Alerts alerts;
    private final CustomerLabels customers = new CustomerLabels();
    private final DistributionSummary fileBytes;
    private final ConcurrentHashMap<String, AtomicLong> gauges = new ConcurrentHashMap<>();

    public ExportMetrics(MeterRegistry registry, Alerts alerts) {
        this.registry = registry;
        this.alerts = alerts;
        this.fileBytes = DistributionSummary.builder("sallyport.export.file.bytes")
                .baseUnit("bytes")
                .serviceLevelObjectives(1 << 20, 16 << 20, 64 << 20, 128 << 20, 256 << 20)
                .register(registry);
    }

    /** A version is final. */
    public void committed(Manifest manifest) {
        String kind = manifest.kind().name().toLowerCase(Locale.ROOT);
        registry.counter("sallyport.export.versions", "kind", kind).increment();
        for (FileEntry file : manifest.added()) {
            fileBytes.record(file.size());
            Tags whose = Tags.of("kind", kind, "customer", customers.of(file.customer()));
            registry.counter("sallyport.export.bytes", whose).increment(file.size());
            registry.counter("sallyport.export.rows", whose).increment(file.rows());
        }
        if (manifest.kind() == ManifestKind.EXPORT) {
            absent(manifest.missing(), "sallyport.export.rows.missing", AlertKind.EXPORT_OVERRUN, manifest.shard());
            absent(manifest.holes(), "sallyport.export.rows.holes", AlertKind.EXPORT_HOLE, manifest.shard());
        }
    }

    private void absent(List<PosRange> ranges, String counter, AlertKind kind, int shard) {
        if (ranges.isEmpty()) {
            return;
        }
        long rows = ranges.stream()
                .mapToLong(range -> range.toPos() - range.fromPos())
                .sum();
        registry.counter(counter).increment(rows);
        alerts.raise(
                kind,
                "shard " + shard + ": " + rows + " proved rows are not in the log, first at pos "
                        + ranges.get(0).fromPos() + " of generation "
                        + ranges.get(0).generation());
    }

    /** Records are none that were proved. They are not exported. */
    public void foreign(int shard, List<SegmentMatcher.Foreign> records) {
        if (records.isEmpty()) {
            return;
        }
        registry.counter("sallyport.export.rows.foreign").increment(records.size());
        SegmentMatcher.Foreign first = records.get(0);
        alerts.raise(
                AlertKind.PROOF_MISMATCH,
                "structured partition " + shard + ": " + records.size()
                        + " records are not what was proved, first offset " + first.offset() + " (pos " + first.pos()
                        + " of generation " + first.generation() + ")");
    }

    /** Rows that no reader takes for current and no segment has: their generation ended with its last segment open. */
    public void unproved(int shard, long rows) {
        registry.counter("sallyport.export.rows.unproved").increment(rows);
        LOG.info("shard {}: {} rows of an ended generation are left out, no segment has them", shard, rows);
    }

    /** The same of rows that are current. The shard does not get past them. */
    public void unprovable(int shard, long rows) {
        alerts.raise(
                AlertKind.EXPORT_UNPROVABLE,
                "shard " + shard + ": " + rows + " current rows of an ended generation have no segment");
    }

    /** A file of rows is missing or was changed: what was to be done with it is not done. */
    public void damaged(int shard, String what) {
        alerts.raise(AlertKind.EXPORT_DAMAGED, "shard " + shard + ": " + what);
    }

    /** A record of the log that is no row. */
    public void unreadable(int shard, long offset) {
        alerts.raise(AlertKind.EXPORT_UNREADABLE, "structured partition " + shard + " offset " + offset);
    }

    /** A shard is not worked on until it is tried again. */
    public void failed(int shard, Exception cause) {
        alerts.raise(AlertKind.EXPORT_FAILED, "shard " + shard + ": " + cause);
    }

    /** Records of `structured` that are not exported yet. */
    public void lag(int shard, long records) {
        gauge("sallyport.export.lag.records", shard).set(records);
    }

    /** Age of the oldest record that is not exported yet, in milliseconds; 0 where there is none. */
    public void age(int shard, long ms) {
        gauge("sallyport.export.lag.ms", shard).set(ms);
    }

    private AtomicLong gauge(String name, int shard) {
        return gauges.computeIfAbsent(name + shard, key -> {
            var value = new AtomicLong();
            registry.gauge(name, Tags.of("shard", Integer.toString(shard)), value);
            return value;
        });
    }
}
