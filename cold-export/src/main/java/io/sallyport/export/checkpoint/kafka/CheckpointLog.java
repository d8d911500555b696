package io.sallyport.export.checkpoint.kafka;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.CheckpointState;
import io.sallyport.export.checkpoint.Trim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What stands committed in `checkpoints`. Records that the key did not sign are passed over and counted. */
public final class CheckpointLog implements AutoCloseable {
    /** Key of a TRIM statement: this, and then shard and generation. A checkpoint's key is the cell. */
    static final String TRIM_KEY = "trim/";

    static final String STATE_HEADER = "state";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Checkpoints that are kept for whoever pinned an older one; the oldest of more are forgotten. */
    private static final int HISTORY = 256;

    private static final TopicPartition PARTITION = new TopicPartition(Topics.CHECKPOINTS.name(), 0);

    private final NoteKey key;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<Signed> history = new ArrayList<>();
    private final Map<TreeKey, Trim> trims = new HashMap<>();
    private Optional<CheckpointState> state = Optional.empty();
    private long foreign;

    /**
     * A checkpoint as it was signed.
     *
     * @param note with its signature
     */
    public record Signed(String note, Checkpoint checkpoint) {}

    public CheckpointLog(String bootstrapServers, NoteKey key) {
        this.key = key;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "sallyport-checkpoint-log",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
    }

    /** Reads on to the end that the topic has now. */
    public void catchUp() {
        long end = consumer.endOffsets(List.of(PARTITION)).getOrDefault(PARTITION, 0L);
        while (consumer.position(PARTITION) < end) {
            consumer.poll(POLL).forEach(this::add);
        }
    }

    /**
     * Reads on past a committed record. A transaction ends for its writer a moment before readers see that.
     *
     * @throws TimeoutException where it does not come
     */
    void catchUpTo(long offset) {
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        while (consumer.position(PARTITION) <= offset) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new TimeoutException("the checkpoint at offset " + offset + " cannot be read back");
            }
            consumer.poll(POLL).forEach(this::add);
        }
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null || record.key() == null) {
            foreign++;
            return;
        }
        String note = new String(record.value(), StandardCharsets.UTF_8);
        if (new String(record.key(), StandardCharsets.UTF_8).startsWith(TRIM_KEY)) {
            Optional<Trim> trim = Trim.open(note, key);
            trim.ifPresentOrElse(found -> trims.merge(found.tree(), found, Trim::later), () -> foreign++);
            return;
        }
        Optional<Checkpoint> checkpoint = SignedNote.open(note, key).flatMap(Checkpoint::parse);
        if (checkpoint.isEmpty()) {
            foreign++;
            return;
        }
        history.add(new Signed(note, checkpoint.get()));
        if (history.size() > HISTORY) {
            history.remove(0);
        }
        Header header = record.headers().lastHeader(STATE_HEADER);
        state = header == null ? Optional.empty() : CheckpointState.decode(header.value(), checkpoint.get());
    }

    /** The newest checkpoint. */
    public Optional<Signed> latest() {
        return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1));
    }

    /** The last ones, oldest first. */
    public List<Signed> history() {
        return List.copyOf(history);
    }

    /** What the signer of the newest checkpoint left for its successor; empty where that cannot be read. */
    public Optional<CheckpointState> state() {
        return state;
    }

    /** What retention took, as the cell states it. */
    public Optional<Trim> trim(TreeKey tree) {
        return Optional.ofNullable(trims.get(tree));
    }

    /** Records that were not signed by the key, or cannot be read. */
    public long foreign() {
        return foreign;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
