package io.sallyport.export.checkpoint.kafka;

import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.CheckpointState;
import io.sallyport.export.checkpoint.Trim;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** What stands committed in `checkpoints`. Records that the key did not sign are passed over and counted. */
public final class CheckpointLog implements AutoCloseable {
    /** Key of a TRIM statement: this, and then shard and generation. A checkpoint's key is the cell. */
    static final String TRIM_KEY = "trim/";

    static final String STATE_HEADER = "state";
    /** Checkpoints that are kept for whoever pinned an older one; the oldest of more are forgotten. */
    private static final int HISTORY = 256;

    /** What {@link #newest} looks at first: a checkpoint and the marker of its transaction, for each that is kept. */
    private static final long LAST_OFFSETS = 4 * HISTORY;

    private static final TopicPartition PARTITION = new TopicPartition(Topics.CHECKPOINTS.name(), 0);

    private final NoteKey key;
    private final CommittedReader reader;
    private final List<Signed> history = new ArrayList<>();
    private final Map<TreeKey, Trim> trims = new HashMap<>();
    private boolean lastOnly;
    private Optional<byte[]> state = Optional.empty();
    private long foreign;

    /**
     * A checkpoint as it was signed.
     *
     * @param note with its signature
     */
    public record Signed(String note, Checkpoint checkpoint) {}

    /** All that the topic has: every statement, and the newest checkpoints. */
    public CheckpointLog(String bootstrapServers, NoteKey key) {
        this(
                new CommittedReader(bootstrapServers, "sallyport-checkpoint-log").fromBeginning(List.of(PARTITION)),
                key,
                false);
    }

    private CheckpointLog(CommittedReader reader, NoteKey key, boolean lastOnly) {
        this.reader = reader;
        this.key = key;
        this.lastOnly = lastOnly;
    }

    /** The newest checkpoints, and of the statements those that are as new: the topic holds more than a year of them. */
    public static CheckpointLog newest(String bootstrapServers, NoteKey key) {
        return new CheckpointLog(
                new CommittedReader(bootstrapServers, "sallyport-checkpoint-log").fromLast(PARTITION, LAST_OFFSETS),
                key,
                true);
    }

    /** Reads on to the end of what is committed now. */
    public void catchUp() {
        reader.toEnd().forEach(this::add);
        if (lastOnly && history.isEmpty()) {
            // Whatever stands at the end, a checkpoint may stand before it.
            foreign = 0;
            reader.fromBeginning(List.of(PARTITION)).toEnd().forEach(this::add);
        }
        lastOnly = false;
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
        state = header == null ? Optional.empty() : Optional.of(header.value());
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
        return latest().flatMap(signed -> state.flatMap(bytes -> CheckpointState.decode(bytes, signed.checkpoint())));
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
        reader.close();
    }
}
