package io.sallyport.session.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.epoch.EpochDecision;
import io.sallyport.envelope.epoch.EpochRules;
import io.sallyport.envelope.epoch.ReportEffect;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochInput;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionReport;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds the epoch rules from `epoch-claims` and writes what follows. One instance for each task, on the task's thread;
 * state, table, directory and answer of one input are in one transaction.
 */
final class EpochProcessor implements Processor<byte[], byte[], byte[], Object> {
    private static final Logger LOG = LoggerFactory.getLogger(EpochProcessor.class);

    private final EpochMeters meters;
    private final int nodes;
    private @Nullable ProcessorContext<byte[], Object> context;
    private @Nullable KeyValueStore<String, byte[]> states;

    EpochProcessor(EpochMeters meters, int nodes) {
        this.meters = meters;
        this.nodes = nodes;
    }

    @Override
    public void init(ProcessorContext<byte[], Object> context) {
        this.context = context;
        this.states = context.getStateStore(EpochTopology.STORE);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        Optional<SensorKey> sensor = sensorOf(record);
        Optional<EpochInput> input = inputOf(record);
        if (sensor.isEmpty()) {
            skip("key");
        } else if (input.isEmpty()) {
            skip("undecodable");
        } else {
            switch (input.get().getInputCase()) {
                case CLAIM -> claim(record, sensor.get(), input.get().getClaim());
                case REPORT -> report(record, sensor.get(), input.get().getReport());
                case INPUT_NOT_SET -> skip("unknown");
            }
        }
    }

    private void claim(Record<byte[], byte[]> record, SensorKey sensor, EpochClaim claim) {
        if (!EpochRules.isWellFormed(claim) || Integer.compareUnsigned(claim.getNode(), nodes) >= 0) {
            skip("malformed");
            return;
        }
        Optional<EpochState> before = state(sensor);
        EpochDecision decision = EpochRules.decide(before, claim, record.timestamp());
        if (decision.changed()) {
            write(record, sensor, decision.state());
        }
        decision.session().ifPresent(session -> directory(record, session));
        context()
                .forward(
                        record.withValue(new AddressedAnswer(claim.getNode(), decision.answer())),
                        EpochTopology.ANSWERS);
        meters.claim(decision.answer().getOutcome());
        decision.alert().ifPresent(alert -> {
            EpochState known = before.orElseGet(EpochState::getDefaultInstance);
            meters.alert(
                    alert,
                    "sensor %s presented epoch %s next_seq %s at node %d from %s; known epoch %d acked %d, live session %s from %s; answered %s epoch %s"
                            .formatted(
                                    sensor,
                                    claim.hasPresentedEpoch()
                                            ? Integer.toUnsignedString(claim.getPresentedEpoch())
                                            : "none",
                                    Long.toUnsignedString(claim.getNextSeq()),
                                    claim.getNode(),
                                    peer(claim.getPeer()),
                                    EpochRules.epoch(known),
                                    known.getAcked(),
                                    Long.toUnsignedString(known.getLiveSessionId()),
                                    peer(known.getLivePeer()),
                                    decision.answer().getOutcome(),
                                    Integer.toUnsignedString(decision.answer().getEpoch())));
        });
    }

    private void report(Record<byte[], byte[]> record, SensorKey sensor, SessionReport report) {
        if (!EpochRules.isWellFormed(report)) {
            skip("malformed");
            return;
        }
        ReportEffect effect = EpochRules.apply(state(sensor), report, record.timestamp());
        if (effect.changed()) {
            write(record, sensor, effect.state());
        }
        effect.session().ifPresent(session -> directory(record, session));
        meters.report(effect.standing());
    }

    private Optional<EpochState> state(SensorKey sensor) {
        byte[] stored = states().get(sensor.topicKey());
        if (stored == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(EpochState.parseFrom(stored));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the epoch store holds an unreadable state of " + sensor, e);
        }
    }

    private void write(Record<byte[], byte[]> record, SensorKey sensor, EpochState state) {
        byte[] bytes = state.toByteArray();
        states().put(sensor.topicKey(), bytes);
        context().forward(record.withValue(bytes), EpochTopology.TABLE);
    }

    private void directory(Record<byte[], byte[]> record, SessionEntry session) {
        context().forward(record.withValue(session.toByteArray()), EpochTopology.SESSIONS);
    }

    private void skip(String reason) {
        meters.skipped(reason);
        LOG.warn("skipped an input of the epoch authority: {}", reason);
    }

    private static Optional<SensorKey> sensorOf(Record<byte[], byte[]> record) {
        return record.key() == null
                ? Optional.empty()
                : SensorKey.fromTopicKey(new String(record.key(), StandardCharsets.UTF_8));
    }

    private static Optional<EpochInput> inputOf(Record<byte[], byte[]> record) {
        if (record.value() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(EpochInput.parseFrom(record.value()));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    private static String peer(String address) {
        return address.isEmpty() ? "unknown" : address;
    }

    private ProcessorContext<byte[], Object> context() {
        return Objects.requireNonNull(context, "init comes first");
    }

    private KeyValueStore<String, byte[]> states() {
        return Objects.requireNonNull(states, "init comes first");
    }
}
