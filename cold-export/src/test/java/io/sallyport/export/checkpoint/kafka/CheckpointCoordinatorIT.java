package io.sallyport.export.checkpoint.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.ManifestHead;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.verify.Ledger;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointCoordinatorIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();
    private static final TreeKey ZERO = new TreeKey(Ledger.CELL, 0, 0);

    private final Ledger zero = new Ledger(0, 0, "a");
    private final Ledger one = new Ledger(1, 0, "a");
    private final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", BOOTSTRAP), new ByteArraySerializer(), new ByteArraySerializer());

    @BeforeEach
    void forgetOtherTests() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP))) {
            var all = new HashMap<TopicPartition, RecordsToDelete>();
            for (String topic : List.of(Topics.PROOF_SEGMENTS.name(), Topics.CHECKPOINTS.name())) {
                admin.describeTopics(List.of(topic))
                        .topicNameValues()
                        .get(topic)
                        .get()
                        .partitions()
                        .forEach(partition -> all.put(
                                new TopicPartition(topic, partition.partition()), RecordsToDelete.beforeOffset(-1)));
            }
            admin.deleteRecords(all).all().get();
        }
    }

    @AfterEach
    void close() {
        producer.close();
    }

    @Test
    void shouldSignWhatTheSegmentsGive() {
        try (var run = new Run()) {
            send(zero.segment(5).segment(3), 0);
            send(one.segment(4), 0);
            Checkpoint checkpoint = run.await(ZERO, 2);
            assertThat(run.await(new TreeKey(Ledger.CELL, 1, 0), 1).origin()).isEqualTo(Ledger.CELL);
            assertThat(checkpoint.trees().get(ZERO))
                    .isEqualTo(Ledger.checkpoint(zero).trees().get(ZERO));
            assertThat(run.coordinator.fault()).isEmpty();
        }
    }

    @Test
    void shouldGoOnFromTheLastCommittedCheckpoint() {
        try (var run = new Run()) {
            send(zero.segment(5).segment(3), 0);
            run.await(ZERO, 2);
        }
        send(zero.segment(7), 2);
        try (var run = new Run()) {
            run.await(ZERO, 3);
            assertThat(run.coordinator.fault()).isEmpty();
        }
        try (var log = new CheckpointLog(BOOTSTRAP, Ledger.KEY)) {
            log.catchUp();
            List<Checkpoint> history =
                    log.history().stream().map(CheckpointLog.Signed::checkpoint).toList();
            for (int i = 1; i < history.size(); i++) {
                assertThat(history.get(i - 1).conflict(history.get(i))).isEmpty();
            }
            assertThat(log.foreign()).isZero();
        }
    }

    @Test
    void shouldFenceAnEarlierCoordinator() {
        try (var first = new Run()) {
            send(zero.segment(5), 0);
            first.await(ZERO, 1);
            try (var second = new Run()) {
                send(zero.segment(2), 1);
                second.await(ZERO, 2);
                // The first one may have signed that just before; of the next change it learns that it is fenced.
                send(zero.segment(3), 2);
                second.await(ZERO, 3);
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(first.fenced::get);
                assertThat(second.coordinator.fault()).isEmpty();
            }
        }
    }

    @Test
    void shouldSignNothingMoreAfterASegmentThatDoesNotContinueItsTree() {
        try (var run = new Run()) {
            send(zero.segment(5), 0);
            run.await(ZERO, 1);
            var fork = new Ledger(0, 0, "another history");
            fork.segment(6).segment(3);
            send(fork, 1);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> run.coordinator.fault().isPresent());
            assertThat(run.coordinator.fault().orElseThrow())
                    .contains("shard 0 generation 0: expected pos 5, found pos 6");
        }
        // Nor does its successor.
        send(zero.segment(1), 1);
        try (var run = new Run()) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> run.coordinator.fault().isPresent());
            assertThat(run.published).isEmpty();
        }
    }

    @Test
    void shouldSignOnlyManifestsThatExtendTheLastCheckpoint() {
        var head = new Hash(new byte[32]);
        try (var run = new Run(signed -> ManifestHead.Next.of(Optional.of(head)))) {
            send(zero.segment(5), 0);
            assertThat(run.await(ZERO, 1).manifests()).contains(head);
        }
        var asked = new CopyOnWriteArrayList<Optional<Hash>>();
        // The store is away: what was signed before is signed again.
        try (var run = new Run(signed -> {
            asked.add(signed);
            return ManifestHead.Next.of(signed);
        })) {
            send(zero.segment(2), 1);
            assertThat(run.await(ZERO, 2).manifests()).contains(head);
        }
        assertThat(asked).isNotEmpty().allMatch(signed -> signed.equals(Optional.of(head)));
        for (ManifestHead gone : List.<ManifestHead>of(
                signed -> ManifestHead.Next.of(Optional.empty()),
                signed -> new ManifestHead.Next(signed, Optional.of("another chain")))) {
            try (var run = new Run(gone)) {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> run.coordinator.fault().isPresent());
                assertThat(run.published).isEmpty();
            }
        }
    }

    @Test
    void shouldNotReadAllCheckpointsForTheNewest() {
        for (int i = 0; i < 3_000; i++) {
            producer.send(new ProducerRecord<>(Topics.CHECKPOINTS.name(), 0, new byte[] {1}, new byte[] {1}));
        }
        producer.flush();
        zero.segment(2);
        String note = SignedNote.sign(Ledger.checkpoint(zero).text(), Ledger.KEY, Ledger.PAIR.getPrivate());
        producer.send(new ProducerRecord<>(
                Topics.CHECKPOINTS.name(),
                0,
                Ledger.CELL.getBytes(StandardCharsets.UTF_8),
                note.getBytes(StandardCharsets.UTF_8)));
        producer.flush();
        try (var log = CheckpointLog.newest(BOOTSTRAP, Ledger.KEY)) {
            log.catchUp();
            assertThat(log.latest().orElseThrow().note()).isEqualTo(note);
            assertThat(log.foreign()).isLessThan(1_100);
        }
        for (int i = 0; i < 2_000; i++) {
            producer.send(new ProducerRecord<>(Topics.CHECKPOINTS.name(), 0, new byte[] {1}, new byte[] {1}));
        }
        producer.flush();
        try (var log = CheckpointLog.newest(BOOTSTRAP, Ledger.KEY)) {
            log.catchUp();
            assertThat(log.latest().orElseThrow().note()).isEqualTo(note);
        }
    }

    /** What the operator's guide says of another key: it begins again, as long as the topic has the first segments. */
    @Test
    void shouldBeginAgainWithAnotherKeyOnlyWhereTheFirstSegmentIsThere() throws Exception {
        try (var run = new Run()) {
            send(zero.segment(5).segment(3), 0);
            run.await(ZERO, 2);
        }
        SigningKey next = anotherKey();
        try (var run = new Run(next)) {
            assertThat(run.await(ZERO, 2)).isEqualTo(Ledger.checkpoint(zero));
            assertThat(run.coordinator.fault()).isEmpty();
        }
        try (var old = new CheckpointLog(BOOTSTRAP, Ledger.KEY);
                var after = new CheckpointLog(BOOTSTRAP, next.note())) {
            old.catchUp();
            after.catchUp();
            assertThat(old.latest().orElseThrow().checkpoint())
                    .as("who pinned the old key still has what it signed")
                    .isEqualTo(after.latest().orElseThrow().checkpoint());
            assertThat(after.foreign()).isEqualTo(old.history().size());
        }

        var segments = new TopicPartition(Topics.PROOF_SEGMENTS.name(), 0);
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP))) {
            long begin = admin.listOffsets(Map.of(segments, OffsetSpec.earliest()))
                    .partitionResult(segments)
                    .get()
                    .offset();
            admin.deleteRecords(Map.of(segments, RecordsToDelete.beforeOffset(begin + 1)))
                    .all()
                    .get();
        }
        try (var run = new Run(anotherKey())) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> run.coordinator.fault().isPresent());
            assertThat(run.coordinator.fault().orElseThrow()).contains("expected segment 0");
            assertThat(run.published)
                    .allSatisfy(checkpoint -> assertThat(checkpoint.trees())
                            .as("what it has not seen from its first segment on, it does not sign")
                            .doesNotContainKey(ZERO));
        }
        send(zero.segment(4), 2);
        try (var run = new Run(next)) {
            run.await(ZERO, 3);
            assertThat(run.coordinator.fault()).as("the key before signs on").isEmpty();
        }
    }

    private static SigningKey anotherKey() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        return new SigningKey(NoteKey.of(Ledger.CELL, pair.getPublic()), pair.getPrivate());
    }

    private void send(Ledger ledger, int from) {
        for (ProofSegment segment : ledger.segments.subList(from, ledger.segments.size())) {
            producer.send(new ProducerRecord<>(
                    Topics.PROOF_SEGMENTS.name(), segment.getShard(), new byte[] {1}, segment.toByteArray()));
        }
        producer.flush();
    }

    private static final class Run implements AutoCloseable {
        private final List<Checkpoint> published = new CopyOnWriteArrayList<>();
        private final AtomicBoolean fenced = new AtomicBoolean();
        private final CheckpointCoordinator coordinator;

        Run() {
            this(ManifestHead.Next::of);
        }

        Run(ManifestHead manifests) {
            this(new SigningKey(Ledger.KEY, Ledger.PAIR.getPrivate()), manifests);
        }

        Run(SigningKey key) {
            this(key, ManifestHead.Next::of);
        }

        private Run(SigningKey key, ManifestHead manifests) {
            coordinator = new CheckpointCoordinator(
                    BOOTSTRAP,
                    new CheckpointCoordinator.Settings(key, Duration.ofMillis(50), Duration.ofHours(1)),
                    manifests,
                    new CheckpointCoordinator.Listener() {
                        @Override
                        public void published(CheckpointLog.Signed checkpoint) {
                            published.add(checkpoint.checkpoint());
                        }

                        @Override
                        public void faulted(String why) {}

                        @Override
                        public void fenced() {
                            fenced.set(true);
                        }
                    });
            coordinator.start();
        }

        Checkpoint await(TreeKey tree, long size) {
            return Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(
                            () -> published.isEmpty() ? null : published.get(published.size() - 1),
                            last -> last != null
                                    && last.trees().containsKey(tree)
                                    && last.trees().get(tree).size() == size);
        }

        @Override
        public void close() {
            coordinator.close();
        }
    }
}
