package io.sallyport.export.checkpoint.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.CheckpointState;
import io.sallyport.export.checkpoint.LogTrees;
import io.sallyport.export.checkpoint.ManifestHead;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs the checkpoints of a cell: follows `proof-segments`, and writes a checkpoint only where it extends the last
 * committed one, in a transaction that fences every earlier coordinator. One thread of its own does all of it. A segment
 * that does not continue its tree stops the signing for good: from then on the record is not what was committed, and a
 * person has to look.
 */
public final class CheckpointCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointCoordinator.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long AGAIN_AFTER_MS = 1_000;
    private static final long TRIM_EVERY_MS = 60_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final String bootstrapServers;
    private final Settings settings;
    private final ManifestHead manifests;
    private final Listener listener;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Optional<String> fault = Optional.empty();

    /**
     * When to sign.
     *
     * @param interval least time between two checkpoints
     * @param idleInterval a checkpoint is written as often although nothing changed
     */
    public record Settings(SigningKey key, Duration interval, Duration idleInterval) {}

    /** Who is told, on the coordinator's thread. */
    public interface Listener {
        /** A checkpoint is committed. */
        void published(CheckpointLog.Signed checkpoint);

        /** Nothing is signed any more. */
        void faulted(String why);

        /** Another coordinator took over. */
        void fenced();
    }

    /** @param manifests followed on the coordinator's thread */
    public CheckpointCoordinator(
            String bootstrapServers, Settings settings, ManifestHead manifests, Listener listener) {
        this.bootstrapServers = bootstrapServers;
        this.settings = settings;
        this.manifests = manifests;
        this.listener = listener;
        thread = new Thread(this::run, "checkpoint-coordinator");
    }

    public void start() {
        thread.start();
    }

    /** Why nothing is signed; empty while all is well. */
    public Optional<String> fault() {
        return fault;
    }

    private void run() {
        while (!stopped && fault.isEmpty()) {
            try (var term = new Term()) {
                term.serve();
            } catch (InterruptException e) {
                return;
            } catch (KafkaException e) {
                if (isFenced(e)) {
                    // Beginning again would fence the other one in turn, and so on.
                    LOG.warn("another coordinator signs from now on");
                    listener.fenced();
                    return;
                }
                LOG.warn("the log cannot be reached; starting again from the last committed checkpoint", e);
                try {
                    Thread.sleep(AGAIN_AFTER_MS);
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }

    private static boolean isFenced(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }

    /** From one initialisation of the transactions to the next failure. */
    private final class Term implements AutoCloseable {
        private final KafkaProducer<byte[], byte[]> producer;
        private final KafkaConsumer<byte[], byte[]> segments;
        private final CheckpointLog log;
        private final Retention retention;
        private LogTrees trees = new LogTrees(settings.key().note().name());
        private Optional<Checkpoint> last = Optional.empty();
        private long lastMs;
        private long trimmedMs = System.currentTimeMillis();

        Term() {
            producer = new KafkaProducer<>(
                    Map.of(
                            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            bootstrapServers,
                            ProducerConfig.CLIENT_ID_CONFIG,
                            "sallyport-checkpoints",
                            ProducerConfig.ACKS_CONFIG,
                            "all",
                            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                            "sallyport-checkpoints-" + settings.key().note().name()),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
            segments = new KafkaConsumer<>(
                    Map.of(
                            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            bootstrapServers,
                            ConsumerConfig.CLIENT_ID_CONFIG,
                            "sallyport-checkpoints",
                            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                            "read_committed",
                            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                            "none"),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
            // Statements that it does not see are made again, once.
            log = CheckpointLog.newest(bootstrapServers, settings.key().note());
            retention = new Retention(bootstrapServers);
        }

        void serve() {
            // Only now is the last checkpoint the last: whoever signed before is fenced.
            producer.initTransactions();
            log.catchUp();
            begin();
            while (!stopped && fault.isEmpty()) {
                for (ConsumerRecord<byte[], byte[]> record : segments.poll(POLL)) {
                    take(record);
                }
                if (fault.isEmpty()) {
                    signIfDue(System.currentTimeMillis());
                }
            }
        }

        private void begin() {
            List<TopicPartition> partitions = segments.partitionsFor(Topics.PROOF_SEGMENTS.name()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            segments.assign(partitions);
            segments.seekToBeginning(partitions);
            last = log.latest().map(CheckpointLog.Signed::checkpoint);
            Optional<CheckpointState> state = log.state();
            if (last.isPresent() && state.isEmpty()) {
                fail("the last checkpoint does not have the state to go on from");
                return;
            }
            state.ifPresent(found -> {
                trees = found.trees();
                found.offsets()
                        .forEach((partition, offset) ->
                                segments.seek(new TopicPartition(Topics.PROOF_SEGMENTS.name(), partition), offset));
            });
        }

        private void take(ConsumerRecord<byte[], byte[]> record) {
            if (fault.isPresent()) {
                return;
            }
            String where = "segment record at partition " + record.partition() + ", offset " + record.offset() + ": ";
            try {
                ProofSegment segment = ProofSegment.parseFrom(record.value());
                if (segment.getShard() != record.partition()) {
                    fail(where + "it is of shard " + segment.getShard());
                } else {
                    trees.add(segment, record.timestamp()).ifPresent(why -> fail(where + why));
                }
            } catch (InvalidProtocolBufferException e) {
                fail(where + "it cannot be read");
            }
        }

        private void signIfDue(long nowMs) {
            ManifestHead.Next head = manifests.after(last.flatMap(Checkpoint::manifests));
            if (head.fault().isPresent()) {
                fail("the export's manifests do not extend the last checkpoint: "
                        + head.fault().get());
                return;
            }
            Checkpoint next = trees.checkpoint(head.head());
            boolean changed = last.filter(next::equals).isEmpty();
            Duration wait = changed ? settings.interval() : settings.idleInterval();
            if (nowMs - lastMs < wait.toMillis()) {
                return;
            }
            Optional<String> conflict = last.flatMap(checkpoint -> checkpoint.conflict(next));
            if (conflict.isPresent()) {
                fail("the next checkpoint does not extend the last: " + conflict.get());
                return;
            }
            String note = SignedNote.sign(
                    next.text(), settings.key().note(), settings.key().privateKey());
            var record = new ProducerRecord<>(
                    Topics.CHECKPOINTS.name(), bytes(settings.key().note().name()), bytes(note));
            record.headers().add(CheckpointLog.STATE_HEADER, new CheckpointState(trees, offsets()).encode());
            List<Trim> trims = List.of();
            if (nowMs - trimmedMs >= TRIM_EVERY_MS) {
                trimmedMs = nowMs;
                trims = retention.trims(log, trees, nowMs);
            }
            producer.beginTransaction();
            producer.send(record);
            trims.forEach(this::send);
            producer.commitTransaction();
            lastMs = nowMs;
            last = Optional.of(next);
            // From the committed record, never from what was about to be written.
            log.catchUp();
            log.latest().ifPresent(listener::published);
        }

        private void send(Trim trim) {
            producer.send(new ProducerRecord<>(
                    Topics.CHECKPOINTS.name(),
                    bytes(CheckpointLog.TRIM_KEY + trim.tree().shard() + "/"
                            + trim.tree().generation()),
                    bytes(trim.sign(settings.key().note(), settings.key().privateKey()))));
        }

        private Map<Integer, Long> offsets() {
            var offsets = new HashMap<Integer, Long>();
            segments.assignment()
                    .forEach(partition -> offsets.put(partition.partition(), segments.position(partition)));
            return offsets;
        }

        private void fail(String why) {
            LOG.error("nothing is signed any more: {}", why);
            fault = Optional.of(why);
            listener.faulted(why);
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            producer.close(CLOSE_TIMEOUT);
            segments.close();
            log.close();
            retention.close();
        }
    }
}
