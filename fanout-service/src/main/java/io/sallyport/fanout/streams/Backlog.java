package io.sallyport.fanout.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.fanout.core.Keys;
import io.sallyport.proto.fanout.v1.ExpansionJob;
import java.util.Optional;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Plans that are not yet entries, and cancellations that are not yet written. Within a customer and lane, jobs are done
 * in order of their revisions; cancellations come first, and customers take turns. All of it is in the store; what is
 * kept on the heap only says whose turn it is and spares looking into an empty store.
 */
final class Backlog {
    /** Lane of cancellations; message lanes follow. */
    private static final int CANCELLATIONS = 0;
    /** Sorts after every digit of a lane, and so after all jobs of a customer. */
    private static final char AFTER_JOBS = ':';

    static final long NEVER = Long.MAX_VALUE;

    private final KeyValueStore<String, byte[]> store;
    /** When there may be something to do; {@link #NEVER}: not before a job is put. */
    private long workAtMs;

    private String turn = "";

    Backlog(KeyValueStore<String, byte[]> store) {
        this.store = store;
    }

    /** No sooner than this there is something to do; {@link #NEVER} where nothing waits. */
    long workAtMs() {
        return workAtMs;
    }

    /** Whether a message of this lane must wait for an earlier one of its customer. */
    boolean isBusy(String customerId, int lane) {
        String prefix = prefix(customerId, 1 + lane);
        try (var jobs = store.range(prefix, prefix + AFTER_JOBS)) {
            return jobs.hasNext();
        }
    }

    void expand(ExpansionJob job, int lane, long revision) {
        put(key(job.getCustomerId(), 1 + lane, revision), job);
    }

    /** Replaces what remains of the message's expansion. */
    void cancel(ExpansionJob job, long revision) {
        String customer = job.getCustomerId() + '/';
        String found = null;
        try (var jobs = store.range(customer, customer + AFTER_JOBS)) {
            while (jobs.hasNext() && found == null) {
                KeyValue<String, byte[]> next = jobs.next();
                found = parse(next.value).getMsgId().equals(job.getMsgId()) ? next.key : null;
            }
        }
        if (found != null) {
            store.delete(found);
        }
        put(key(job.getCustomerId(), CANCELLATIONS, revision), job);
    }

    /** The first job that may go on of the customer whose turn it is. */
    Optional<KeyValue<String, ExpansionJob>> next(long nowMs) {
        if (nowMs < workAtMs) {
            return Optional.empty();
        }
        workAtMs = NEVER;
        Optional<KeyValue<String, ExpansionJob>> job = firstAfter(turn, nowMs);
        if (job.isEmpty() && !turn.isEmpty()) {
            job = firstAfter("", nowMs);
        }
        job.ifPresent(found -> {
            workAtMs = 0;
            turn = Keys.customerOf(found.key) + '/' + AFTER_JOBS;
        });
        return job;
    }

    void advanced(String key, ExpansionJob job) {
        if (job.getNextChunk() >= job.getChunks()) {
            store.delete(key);
        } else {
            put(key, job);
        }
    }

    /** One that has to wait holds up what is behind it in its lane, and nothing else. */
    private Optional<KeyValue<String, ExpansionJob>> firstAfter(String from, long nowMs) {
        String heldUp = null;
        try (KeyValueIterator<String, byte[]> jobs =
                from.isEmpty() ? store.all() : store.range(from, String.valueOf('~'))) {
            while (jobs.hasNext()) {
                KeyValue<String, byte[]> next = jobs.next();
                if (heldUp != null && next.key.startsWith(heldUp)) {
                    continue;
                }
                ExpansionJob job = parse(next.value);
                if (job.getNextChunk() < job.getConnectedChunks() || nowMs >= job.getRestAtMs()) {
                    return Optional.of(KeyValue.pair(next.key, job));
                }
                workAtMs = Math.min(workAtMs, job.getRestAtMs());
                heldUp = next.key.substring(0, next.key.lastIndexOf('/') + 1);
            }
            return Optional.empty();
        }
    }

    private void put(String key, ExpansionJob job) {
        store.put(key, job.toByteArray());
        workAtMs = 0;
    }

    private static String prefix(String customerId, int lane) {
        return "%s/%03d/".formatted(customerId, lane);
    }

    private static String key(String customerId, int lane, long revision) {
        return prefix(customerId, lane) + "%020d".formatted(revision);
    }

    private static ExpansionJob parse(byte[] value) {
        try {
            return ExpansionJob.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the backlog holds what is no job", e);
        }
    }
}
