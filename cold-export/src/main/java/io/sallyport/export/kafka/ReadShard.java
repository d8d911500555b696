package io.sallyport.export.kafka;

import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.work.ShardExport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A shard that a worker reads: its two partitions, in step with each other. */
final class ReadShard {
    /**
     * Rows that may wait for their segment: sixteen segments. Each costs its leaf in memory. What generations that have ended
     * left in their open segments is beside that, since waiting for it would never end.
     */
    private static final int MAX_AWAITING_ROWS = 65_536;
    /** Segments that may wait for their rows. Each costs its leaves. */
    private static final int MAX_UNCOVERED_SEGMENTS = 32;
    /** A segment is there after its rows; much later than any commit takes, rows that are not there are gone. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ShardExport export;
    private final TopicPartition structured;
    private final TopicPartition proof;
    private long movedNanos = System.nanoTime();
    private long maintainedNanos = System.nanoTime();
    private boolean cutNow;
    private KnownGenerations known;
    /** Where both topics ended when the generations that ended had stopped writing; null before that is known. */
    private @Nullable Ends quiet;

    private record Ends(long structured, long proof) {}

    /** Rows of generations that are not known wait since then; null where there are none. */
    private @Nullable Strangers strangers;

    private record Strangers(long below, long sinceNanos) {}

    /** @param known what is known of the generations when its reading begins */
    ReadShard(ShardExport export, KnownGenerations known) {
        this.export = export;
        this.known = known;
        export.know(known);
        this.structured = new TopicPartition(Topics.STRUCTURED.name(), export.shard());
        this.proof = new TopicPartition(Topics.PROOF_SEGMENTS.name(), export.shard());
    }

    ShardExport export() {
        return export;
    }

    TopicPartition structured() {
        return structured;
    }

    TopicPartition proof() {
        return proof;
    }

    void take(ConsumerRecord<byte[], byte[]> record) throws IOException {
        byte[] value = record.value() == null ? new byte[0] : record.value();
        if (record.topic().equals(structured.topic())) {
            export.row(record.offset(), record.timestamp(), value);
        } else {
            export.segment(record.offset(), value);
        }
        movedNanos = System.nanoTime();
    }

    /** Stops reading the topic that ran ahead of the other, until the other has come after it. */
    void balance(Consumer<byte[], byte[]> consumer) {
        boolean rowsAhead = export.awaitingRows() > MAX_AWAITING_ROWS;
        // Where many rows wait that are far from what is proved, the proof tells what they are.
        boolean segmentsAhead = !rowsAhead
                && export.strayRows() <= MAX_AWAITING_ROWS
                && export.uncoveredSegments() > MAX_UNCOVERED_SEGMENTS;
        set(consumer, structured, rowsAhead);
        set(consumer, proof, segmentsAhead);
    }

    private static void set(Consumer<byte[], byte[]> consumer, TopicPartition partition, boolean paused) {
        if (paused != consumer.paused().contains(partition)) {
            if (paused) {
                consumer.pause(List.of(partition));
            } else {
                consumer.resume(List.of(partition));
            }
        }
    }

    boolean isCaughtUp(Consumer<byte[], byte[]> consumer) {
        return consumer.currentLag(structured).orElse(1) == 0
                && consumer.currentLag(proof).orElse(1) == 0;
    }

    /**
     * Takes account of what is known of the generations.
     *
     * @param settled whether what it says has stood so long that whoever ran a generation that ended has stopped
     */
    void follow(KnownGenerations now, boolean settled, LogEnds ends, Consumer<byte[], byte[]> consumer)
            throws IOException {
        if (now.revision() != known.revision()) {
            known = now;
            quiet = null;
            export.know(now);
        }
        if (!settled || !export.isUnsettled()) {
            return;
        }
        if (quiet == null) {
            quiet = new Ends(ends.end(structured), ends.end(proof));
        }
        if (consumer.position(structured) >= quiet.structured() && consumer.position(proof) >= quiet.proof()) {
            export.settle();
        }
    }

    /**
     * Gives up rows of generations that were never begun.
     *
     * @param knownNanos when `generations` was read to its end last
     */
    void disown(long knownNanos) {
        if (!export.hasStrangers()) {
            strangers = null;
        } else if (strangers == null) {
            strangers = new Strangers(export.readTo(), System.nanoTime());
        } else if (knownNanos - strangers.sinceNanos() > 0) {
            export.disown(strangers.below());
            strangers = null;
        }
    }

    /** Whether segments wait for rows, and nothing has come for long. */
    boolean isStuck(long nowNanos) {
        return export.uncoveredSegments() > 0 && nowNanos - movedNanos > STUCK_NANOS;
    }

    boolean isMaintenanceDue(long nowNanos, long everyNanos) {
        return nowNanos - maintainedNanos >= everyNanos;
    }

    void maintained(long nowNanos) {
        maintainedNanos = nowNanos;
    }

    /** The range is cut as soon as it can be, whatever its size. */
    void cutNow() {
        cutNow = true;
    }

    boolean isCutNow() {
        return cutNow;
    }

    void cut() {
        cutNow = false;
    }
}
