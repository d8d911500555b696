package io.sallyport.consumer.kafka;

import io.sallyport.consumer.core.ShardProgress;
import io.sallyport.consumer.core.ShardProgress.Why;
import io.sallyport.consumer.core.Trial;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A shard that this member has. Its position is the client's; beside it stands what was handled, and what waits to be tried again. */
final class Shard {
    private final TopicPartition partition;
    private ShardProgress progress;
    private @Nullable Trial trial;
    private @Nullable Throwable lastFailure;
    private @Nullable OffsetAndMetadata committed;
    /** Position behind what was told as lost, whether or not that was committed. */
    private @Nullable OffsetAndMetadata telling;

    private OptionalLong appendedMs = OptionalLong.empty();
    /** What took over while this group did not read is not known. */
    private boolean unlearned;
    /** Takeovers that the handler is to be told of before anything else. */
    private final Deque<ShardTakeover> untold = new ArrayDeque<>();

    Shard(TopicPartition partition, ShardProgress progress, @Nullable OffsetAndMetadata committed) {
        this.partition = partition;
        this.progress = progress;
        this.committed = committed;
    }

    TopicPartition partition() {
        return partition;
    }

    ShardProgress progress() {
        return progress;
    }

    /** @param timestampMs append time of a record in hand */
    void seen(long timestampMs) {
        appendedMs = OptionalLong.of(timestampMs);
    }

    /** Append time of the newest record that was in hand; whatever waits is no older. */
    OptionalLong appendedMs() {
        return appendedMs;
    }

    Trial trial(long offset, long timestampMs) {
        Trial known = trial;
        return known != null && known.offset() == offset ? known : Trial.first(offset, timestampMs);
    }

    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    void failed(Trial after, @Nullable Throwable failure) {
        trial = after;
        lastFailure = failure;
    }

    /** Stands still at the record until it is due; other shards go on. */
    boolean waitFor(Consumer<?, ?> consumer, Trial until) {
        consumer.seek(partition, until.offset());
        consumer.pause(List.of(partition));
        return false;
    }

    void resumeIfDue(Consumer<?, ?> consumer, long nowMs) {
        if (trial != null && nowMs >= trial.againAtMs()) {
            consumer.resume(List.of(partition));
        }
    }

    void done(long generation, long offset) {
        trial = null;
        lastFailure = null;
        progress.done(generation, offset);
    }

    void passed(StructuredRecord value, long offset, Why why) {
        if (why != Why.PENDING && why != Why.KIND) {
            progress.done(generation(value), offset);
        }
    }

    /** Nothing of this log was handled yet. */
    void beginAgain() {
        trial = null;
        lastFailure = null;
        appendedMs = OptionalLong.empty();
        progress = ShardProgress.beginning();
    }

    /** Records of takeovers may have left the log unread: nothing is handled or committed before they are known and told. */
    void forgetTakeovers() {
        unlearned = true;
    }

    boolean isUnlearned() {
        return unlearned;
    }

    /** @param takeovers all of this shard, in their order */
    void learn(Collection<ShardTakeover> takeovers) {
        untold.clear();
        takeovers.stream().filter(takeover -> !progress.knows(takeover)).forEach(untold::add);
        unlearned = false;
    }

    /** The next takeover that the handler was not told of. */
    @Nullable
    ShardTakeover untold() {
        return untold.peekFirst();
    }

    boolean hasUntold() {
        return unlearned || !untold.isEmpty();
    }

    void replaced(ShardTakeover takeover) {
        trial = null;
        lastFailure = null;
        progress.add(takeover);
        untold.remove(takeover);
    }

    /** The progress where the record counts as done; this one stays. */
    ShardProgress progressBehind(StructuredRecord value, long offset) {
        ShardProgress behind = ShardProgress.of(progress.text());
        if (value.hasGeneration()) {
            behind.add(ShardTakeover.of(value.getGeneration()));
        } else if (value.hasEvent() || value.hasMarker()) {
            behind.done(generation(value), offset);
        }
        return behind;
    }

    long nextBehind(StructuredRecord value, long offset) {
        return value.hasGeneration() ? Math.min(value.getGeneration().getStructuredOffset(), offset) : offset + 1;
    }

    void givenUp(ShardProgress behind, long next) {
        progress = behind;
        trial = null;
        lastFailure = null;
        committed = new OffsetAndMetadata(next, behind.text());
    }

    /**
     * First of the offsets that are to be told as lost.
     *
     * @param offset where the shard stands
     * @param atBrokers what the brokers have of the group. It may be ahead of the shard, which goes back at a takeover: what
     *     lies between was not read as it should have been. It tells something only where it is the end of a transaction of
     *     which this member did not see whether it was committed
     */
    long lostFrom(long offset, @Nullable OffsetAndMetadata atBrokers) {
        return telling != null && telling.equals(atBrokers) ? telling.offset() : offset;
    }

    /** @return position behind what is being told as lost, to be committed with it */
    OffsetAndMetadata telling(long begin) {
        var behind = new OffsetAndMetadata(begin, progress.text());
        telling = behind;
        return behind;
    }

    /** What is to be committed; null where it is committed already, or a takeover is to be told first. */
    @Nullable
    OffsetAndMetadata toCommit(long position) {
        if (hasUntold()) {
            return null;
        }
        var now = new OffsetAndMetadata(position, progress.text());
        return committed != null
                        && committed.offset() == position
                        && now.metadata().equals(committed.metadata())
                ? null
                : now;
    }

    void committed(OffsetAndMetadata offset) {
        committed = offset;
    }

    private static long generation(StructuredRecord value) {
        return ShardProgress.generation(
                value.hasEvent()
                        ? value.getEvent().getOrigin()
                        : value.hasMarker()
                                ? value.getMarker().getOrigin()
                                : value.getGeneration().getOrigin());
    }
}
