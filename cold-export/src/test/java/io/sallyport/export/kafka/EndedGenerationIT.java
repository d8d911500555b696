package io.sallyport.export.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.core.Position;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Replay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay that is given up leaves rows behind that no segment will ever have. */
class EndedGenerationIT {
    private static final int SHARD = 6;
    private static final int GENERATION = 5;
    private static final int OTHER_SHARD = 5;
    private static final int HIGHEST = 40;
    private static final AtomicLong REVISION = new AtomicLong();

    @TempDir
    Path folder;

    @Test
    void shouldReadOnPastThemOnceTheTopicSaysSo() throws Exception {
        write(generations().setReplay(Replay.newBuilder().setGeneration(GENERATION)));
        TestTopics topics = TestTopics.shard(SHARD);
        TestShard live = topics.log();
        TestShard givenUp = live.generation(GENERATION);
        var random = new Random(6);
        live.addSome(random, 20);
        for (int seq = 1; seq <= 3; seq++) {
            givenUp.add(TestShard.event("acme", "s-1", seq));
        }
        live.addSome(random, 20);
        topics.publish();
        var meters = new SimpleMeterRegistry();
        try (var store = new LocalStore(folder.resolve("lake"))) {
            var worker = ExportProcess.worker(
                    TestBroker.shared().bootstrapServers(), store, folder.resolve("scratch"), meters, 0);
            var thread = new Thread(worker, "export");
            thread.start();
            try {
                Position at = awaitExported(store, live);
                live.addSome(random, 5);
                topics.publish();
                long held = awaitExported(store, live).structuredOffset();
                assertThat(held)
                        .as("the generation may still close its segment")
                        .isEqualTo(at.structuredOffset());

                write(generations());
                // The range that is being read when the worker sees it may still begin there.
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    live.addSome(random, 5);
                    topics.publish();
                    return awaitExported(store, live).structuredOffset() > held;
                });
                assertThat(meters.counter("sallyport.export.rows.unproved").count())
                        .isGreaterThanOrEqualTo(3);
                assertThat(meters.counter("sallyport.export.rows.missing").count())
                        .isZero();
            } finally {
                worker.stop();
                thread.join();
            }
        }
    }

    /** Their rows are more than may wait for a segment, and the live generation's next row stands behind them. */
    @Test
    void shouldReadOnPastManyReplaysThatWereGivenUp() throws Exception {
        TestTopics topics = TestTopics.shard(OTHER_SHARD);
        TestShard live = topics.log();
        for (int generation = HIGHEST - 16; generation <= HIGHEST; generation++) {
            TestShard givenUp = live.generation(generation);
            for (int seq = 1; seq < OpenSegment.MAX_LEAVES; seq++) {
                givenUp.add(TestShard.event("acme", "s-1", seq));
            }
        }
        live.addSome(new Random(16), 20);
        topics.publish();
        write(generations());
        try (var store = new LocalStore(folder.resolve("lake"))) {
            var worker = ExportProcess.worker(
                    TestBroker.shared().bootstrapServers(),
                    store,
                    folder.resolve("scratch"),
                    new SimpleMeterRegistry(),
                    0);
            var thread = new Thread(worker, "export");
            thread.start();
            try {
                awaitExported(store, live);
            } finally {
                worker.stop();
                thread.join();
            }
        }
    }

    private static Position awaitExported(LocalStore store, TestShard log) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> new ManifestChain(store, log.shard())
                                .load()
                                .head()
                                .position(),
                        at -> at.tree(0).nextPos() == log.records().size());
    }

    /** All but the first one have ended. */
    private static Generations.Builder generations() {
        return Generations.newBuilder().setRevision(REVISION.incrementAndGet()).setHighest(HIGHEST);
    }

    private static void write(Generations.Builder generations) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", TestBroker.shared().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            Topics.GENERATIONS.name(),
                            new byte[] {'0'},
                            generations.build().toByteArray()))
                    .get();
        }
    }
}
