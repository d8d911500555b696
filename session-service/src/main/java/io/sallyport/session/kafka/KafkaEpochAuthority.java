package io.sallyport.session.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochInput;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.session.core.EpochAuthority;
import io.sallyport.session.core.KnownEpoch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides ordinary resumes by the replicated `epoch-table`, and asks the epoch authority for everything else, through `epoch-claims` and `epoch-answers`. Answers come in this node's partition, matched by
 * claim id; reading it starts before the first claim is sent, so that no answer can be missed.
 */
public final class KafkaEpochAuthority implements EpochAuthority, AutoCloseable {
    /** How long a claim waits for its answer. */
    public static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(4);

    private static final Logger LOG = LoggerFactory.getLogger(KafkaEpochAuthority.class);
    /** How far the replicated table may be behind where a node decides by it. */
    private static final long MAX_BEHIND_MS = 2_000;

    private static final int MAX_WAITING = 65_536;
    private static final long RETRY_MS = 100;

    private final ControlProducer producer;
    private final int sensorPartitions;
    private final TopicTail answers;
    private final EpochView view = new EpochView();
    private final TopicView<EpochState> table;
    private final ConcurrentMap<String, Waiting> waiting = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer;
    private final Timer answerTime;
    private final Counter resumedHere;

    /** A claim on its way. */
    private static final class Waiting {
        final SensorKey sensor;
        final EpochClaim claim;
        final CompletableFuture<EpochAnswer> answer = new CompletableFuture<>();
        final long sinceNs = System.nanoTime();
        volatile @Nullable Throwable lastFailure;

        Waiting(SensorKey sensor, EpochClaim claim) {
            this.sensor = sensor;
            this.claim = claim;
        }
    }

    public KafkaEpochAuthority(
            String bootstrapServers, int node, TopicSizing sizing, ControlProducer producer, MeterRegistry meters) {
        this.producer = producer;
        this.sensorPartitions = Topics.EPOCH_CLAIMS.partitions(sizing);
        this.answers = new TopicTail(
                TailSource.of(bootstrapServers, "epoch-answers-" + node, List.of(Topics.EPOCH_ANSWERS.name()))
                        .atEndOf(node),
                TopicTail.Sink.each(this::answered));
        this.table = new TopicView<>(Topics.EPOCH_TABLE, bootstrapServers, "epoch-table-" + node, view);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            var thread = new Thread(task, "epoch-claims-timer-" + node);
            thread.setDaemon(true);
            return thread;
        });
        this.answerTime = Timer.builder("sallyport.epoch.claim").register(meters);
        this.resumedHere = meters.counter("sallyport.epoch.resumes.local");
        meters.gauge("sallyport.epoch.table.behind", table, view -> view.behindMs() / 1_000.0);
        meters.gaugeMapSize("sallyport.epoch.claims.waiting", List.of(), waiting);
    }

    public void start() {
        answers.start();
        table.start();
    }

    /** Whether claims can be sent and the replicated table was read to its end. */
    public boolean isReady() {
        return producer.isReady() && answers.isLoaded() && table.isLoaded();
    }

    @Override
    public CompletionStage<EpochAnswer> claim(SensorKey sensor, EpochClaim claim) {
        if (table.isLoaded() && table.behindMs() < MAX_BEHIND_MS) {
            Optional<EpochAnswer> resumed = view.resume(sensor, claim);
            if (resumed.isPresent()) {
                return announced(sensor, claim, resumed.get());
            }
        }
        return asked(sensor, claim);
    }

    /** The authority is told first; the sensor hears of its session when that is durable. */
    private CompletionStage<EpochAnswer> announced(SensorKey sensor, EpochClaim claim, EpochAnswer resumed) {
        resumedHere.increment();
        SessionReport connected = KnownEpoch.report(claim, resumed);
        return report(sensor, connected).thenApply(durable -> resumed).whenComplete((answer, failure) -> {
            if (failure != null) {
                // The session never opens; the sensor's next try must not find it in its way.
                view.reported(
                        sensor,
                        connected.toBuilder()
                                .setKind(ReportKind.REPORT_DISCONNECTED)
                                .build());
            }
        });
    }

    private CompletionStage<EpochAnswer> asked(SensorKey sensor, EpochClaim claim) {
        var asked = new Waiting(sensor, claim);
        if (waiting.size() >= MAX_WAITING) {
            asked.answer.completeExceptionally(new RejectedExecutionException("too many claims are waiting"));
            return asked.answer;
        }
        if (waiting.putIfAbsent(claim.getClaimId(), asked) != null) {
            throw new IllegalArgumentException("claim ids are used once");
        }
        asked.answer.whenComplete((answer, failure) -> waiting.remove(claim.getClaimId(), asked));
        after(CLAIM_TIMEOUT.toMillis(), asked, () -> expire(asked));
        send(asked);
        return asked.answer;
    }

    @Override
    public CompletionStage<Void> report(SensorKey sensor, SessionReport report) {
        view.reported(sensor, report);
        return send(sensor, EpochInput.newBuilder().setReport(report).build());
    }

    @Override
    public long newestSessionId(SensorKey sensor) {
        return view.newestSessionId(sensor);
    }

    @Override
    public long newestEpoch(SensorKey sensor) {
        return view.openEpoch(sensor);
    }

    @Override
    public void onChange(Listener listener) {
        view.onChange(listener);
    }

    /** Claims that still wait fail; the producer is closed by its owner. */
    @Override
    public void close() {
        table.close();
        answers.close();
        timer.shutdownNow();
        waiting.values()
                .forEach(asked ->
                        asked.answer.completeExceptionally(new RejectedExecutionException("this node is stopping")));
    }

    /** Repeating a claim is harmless, since the authority answers an id once; so every failure is tried again. */
    private void send(Waiting asked) {
        if (asked.answer.isDone()) {
            return;
        }
        if (!answers.isLoaded()) {
            after(RETRY_MS, asked, () -> send(asked));
            return;
        }
        send(asked.sensor, EpochInput.newBuilder().setClaim(asked.claim).build())
                .whenComplete((sent, failure) -> {
                    asked.lastFailure = failure;
                    if (failure != null) {
                        after(RETRY_MS, asked, () -> send(asked));
                    }
                });
    }

    private CompletionStage<Void> send(SensorKey sensor, EpochInput input) {
        return producer.send(Topics.EPOCH_CLAIMS, Slots.partition(sensor, sensorPartitions), sensor.topicKey(), input);
    }

    private void after(long delayMs, Waiting asked, Runnable task) {
        try {
            timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            asked.answer.completeExceptionally(e);
        }
    }

    private void expire(Waiting asked) {
        Throwable cause = asked.lastFailure;
        if (asked.answer.completeExceptionally(
                cause != null ? cause : new TimeoutException("no answer from the epoch authority"))) {
            // An authority that is only slow still grants it. It reads this next, so that the sensor's next try does
            // not
            // find a session in its way that never was, and is not taken for a second machine.
            send(
                    asked.sensor,
                    EpochInput.newBuilder()
                            .setReport(SessionReport.newBuilder()
                                    .setKind(ReportKind.REPORT_DISCONNECTED)
                                    .setSessionId(asked.claim.getSessionId())
                                    .setNode(asked.claim.getNode()))
                            .build());
        }
    }

    private void answered(ConsumerRecord<byte[], byte[]> record) {
        try {
            EpochAnswer answer = EpochAnswer.parseFrom(record.value());
            Waiting asked = waiting.get(answer.getClaimId());
            if (asked == null) {
                return;
            }
            if (!asked.sensor.topicKey().equals(new String(record.key(), StandardCharsets.UTF_8))) {
                LOG.warn("an answer names another sensor than its claim");
                return;
            }
            if (answer.getNewestSessionId() != 0) {
                view.answered(asked.sensor, answer, asked.claim);
            }
            answerTime.record(System.nanoTime() - asked.sinceNs, TimeUnit.NANOSECONDS);
            asked.answer.complete(answer);
        } catch (InvalidProtocolBufferException e) {
            LOG.warn("unreadable answer at partition {} offset {}", record.partition(), record.offset());
        }
    }
}
