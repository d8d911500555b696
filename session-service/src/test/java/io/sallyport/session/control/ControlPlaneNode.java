package io.sallyport.session.control;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.session.kafka.ControlProducer;
import io.sallyport.session.kafka.KafkaEpochAuthority;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A gateway node without its listeners: its clients, and session ids minted as the gateway does. */
final class ControlPlaneNode implements AutoCloseable {
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final KafkaEpochAuthority authority;
    private final int node;
    private final ControlProducer producer;
    private final AtomicInteger counter = new AtomicInteger();

    private ControlPlaneNode(String bootstrapServers, int node) {
        this.node = node;
        this.producer = new ControlProducer(
                bootstrapServers,
                node,
                List.of(Topics.EPOCH_CLAIMS, Topics.COMMAND_RESULTS, Topics.ENDPOINT_METADATA),
                meters);
        this.authority = new KafkaEpochAuthority(bootstrapServers, node, TopicSizing.LOCAL, producer, meters);
    }

    /** Started and ready. */
    static ControlPlaneNode start(String bootstrapServers, int node) {
        var started = started(bootstrapServers, node);
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(started.authority::isReady);
        return started;
    }

    /** Started, and perhaps not ready yet. */
    static ControlPlaneNode started(String bootstrapServers, int node) {
        var started = new ControlPlaneNode(bootstrapServers, node);
        started.producer.start();
        started.authority.start();
        return started;
    }

    long mint(SensorKey sensor, long lastSessionId) {
        return SessionId.mint(
                System.currentTimeMillis(),
                node,
                counter.getAndIncrement(),
                authority.newestSessionId(sensor),
                lastSessionId);
    }

    EpochClaim.Builder newClaim(SensorKey sensor, long lastSessionId) {
        return EpochClaim.newBuilder()
                .setClaimId(UUID.randomUUID().toString())
                .setSessionId(mint(sensor, lastSessionId))
                .setNode(node)
                .setNextSeq(1)
                .setLastSessionId(lastSessionId);
    }

    /** Of a sensor that goes on with what {@code last} gave it, at seq 121. */
    EpochClaim resume(SensorKey sensor, EpochAnswer last) {
        return newClaim(sensor, last.getNewestSessionId())
                .setPresentedEpoch(last.getEpoch())
                .setNextSeq(121)
                .setWatermark(90)
                .build();
    }

    /** Waits for the answer; an authority that is starting gets the claim again, as a sensor that retries would. */
    EpochAnswer claim(SensorKey sensor, EpochClaim claim) {
        return Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .ignoreExceptions()
                .until(
                        () -> authority
                                .claim(sensor, claim)
                                .toCompletableFuture()
                                .get(10, TimeUnit.SECONDS),
                        answer -> true);
    }

    void report(SensorKey sensor, ReportKind kind, EpochAnswer granted, long acked) throws Exception {
        authority
                .report(
                        sensor,
                        SessionReport.newBuilder()
                                .setKind(kind)
                                .setNode(node)
                                .setSessionId(granted.getNewestSessionId())
                                .setEpoch(granted.getEpoch())
                                .setAcked(acked)
                                .build())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        authority.close();
        producer.close();
    }
}
