package io.sallyport.router.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.router.v1.MessageCounts;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * How many targets of each message are in which state, in this task. Changed in the same transaction as the targets
 * themselves, and told as absolute numbers a little later, so that a message to many sensors is not told for each.
 */
final class MessageCounters {
    /** Far more than passes between a change and its telling. */
    private static final long TELL_AGAIN_US = 60_000_000;

    private static final long PURGE_STEP_US = 3_600_000_000L;

    private final KeyValueStore<String, byte[]> store;
    private final int task;
    private final long retentionUs;
    private final Set<MessageKey> untold = new LinkedHashSet<>();
    private final DueIndex<MessageKey> purges = new DueIndex<>();

    MessageCounters(KeyValueStore<String, byte[]> store, int task, long retentionUs) {
        this.store = store;
        this.task = task;
        this.retentionUs = retentionUs;
    }

    /** At the start of a task: what may not have been told before is told again. */
    void load() {
        long newestUs = 0;
        try (KeyValueIterator<String, byte[]> rows = store.all()) {
            while (rows.hasNext()) {
                KeyValue<String, byte[]> row = rows.next();
                MessageCounts counts = parse(row.value);
                purges.move(keyOf(row.key), Long.MAX_VALUE, purgeUs(counts));
                newestUs = Math.max(newestUs, counts.getChangedUs());
            }
        }
        try (KeyValueIterator<String, byte[]> rows = store.all()) {
            while (rows.hasNext()) {
                KeyValue<String, byte[]> row = rows.next();
                if (parse(row.value).getChangedUs() >= newestUs - TELL_AGAIN_US) {
                    untold.add(keyOf(row.key));
                }
            }
        }
    }

    void moved(MessageKey message, TargetState from, TargetState to, long expiresAtUs, long nowUs) {
        MessageCounts before = counts(message);
        StatusPartial.Builder partial = before == null
                ? StatusPartial.newBuilder()
                        .setCustomerId(message.customerId())
                        .setMsgId(message.msgId())
                        .setTask(task)
                : before.getPartial().toBuilder();
        partial.setExpiresAtUs(Math.max(partial.getExpiresAtUs(), expiresAtUs));
        add(partial, from, -1);
        add(partial, to, 1);
        put(message, before, partial, nowUs);
    }

    void answeredLate(MessageKey message, long nowUs) {
        MessageCounts before = counts(message);
        if (before != null) {
            StatusPartial.Builder partial = before.getPartial().toBuilder();
            put(message, before, partial.setLateAcks(partial.getLateAcks() + 1), nowUs);
        }
    }

    /** Tells what changed since the last call. */
    void tell(BiConsumer<MessageKey, StatusPartial> listener) {
        for (MessageKey message : untold) {
            MessageCounts counts = counts(message);
            if (counts != null) {
                listener.accept(message, counts.getPartial());
            }
        }
        untold.clear();
    }

    boolean hasUntold() {
        return !untold.isEmpty();
    }

    /** When {@link #purge} has something to do. */
    long nextPurgeUs() {
        return purges.nextUs();
    }

    /** Forgets messages that nobody asks for any more; {@code null} tells that a message is gone. */
    void purge(long nowUs, int max, BiConsumer<MessageKey, @Nullable StatusPartial> listener) {
        for (MessageKey message : purges.due(nowUs, max)) {
            MessageCounts counts = counts(message);
            if (counts == null) {
                throw new IllegalStateException("counts are due that are not in the store");
            }
            long dueUs = purgeUs(counts);
            if (counts.getPartial().getPending() + counts.getPartial().getInFlight() > 0) {
                // Its last targets are about to expire: look again.
                var later = counts.toBuilder().setChangedUs(nowUs).build();
                store.put(message.topicKey(), later.toByteArray());
                purges.move(message, dueUs, purgeUs(later));
            } else {
                purges.move(message, dueUs, Long.MAX_VALUE);
                store.delete(message.topicKey());
                untold.remove(message);
                listener.accept(message, null);
            }
        }
    }

    private void put(MessageKey message, @Nullable MessageCounts before, StatusPartial.Builder partial, long nowUs) {
        MessageCounts after = MessageCounts.newBuilder()
                .setPartial(partial)
                .setChangedUs(nowUs)
                .build();
        store.put(message.topicKey(), after.toByteArray());
        purges.move(message, before == null ? Long.MAX_VALUE : purgeUs(before), purgeUs(after));
        untold.add(message);
    }

    private @Nullable MessageCounts counts(MessageKey message) {
        byte[] stored = store.get(message.topicKey());
        return stored == null ? null : parse(stored);
    }

    /** Rounded up, so that a busy message is not moved in the index with each change. */
    private long purgeUs(MessageCounts counts) {
        long untilUs = Math.max(counts.getPartial().getExpiresAtUs(), counts.getChangedUs()) + retentionUs;
        return (untilUs / PURGE_STEP_US + 1) * PURGE_STEP_US;
    }

    private static void add(StatusPartial.Builder partial, TargetState state, int change) {
        switch (state) {
            case PLANNED -> {
                // Resolved minus all others: the reader's to find.
            }
            case PENDING -> partial.setPending(partial.getPending() + change);
            case IN_FLIGHT -> partial.setInFlight(partial.getInFlight() + change);
            case ACKED -> partial.setAcked(partial.getAcked() + change);
            case NACKED -> partial.setNacked(partial.getNacked() + change);
            case EXPIRED -> partial.setExpired(partial.getExpired() + change);
            case SUPERSEDED_BY_NEWER -> partial.setSuperseded(partial.getSuperseded() + change);
            case EVICTED -> partial.setEvicted(partial.getEvicted() + change);
            case CANCELLED -> partial.setCancelled(partial.getCancelled() + change);
            case REJECTED -> partial.setRejected(partial.getRejected() + change);
            case TARGET_STATE_UNSPECIFIED, UNRECOGNIZED ->
                throw new IllegalArgumentException("a target is always in a state");
        }
    }

    private static MessageKey keyOf(String key) {
        return MessageKey.fromTopicKey(key)
                .orElseThrow(() -> new IllegalStateException("the store holds a key that is no message"));
    }

    private static MessageCounts parse(byte[] stored) {
        try {
            return MessageCounts.parseFrom(stored);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds unreadable counts", e);
        }
    }
}
