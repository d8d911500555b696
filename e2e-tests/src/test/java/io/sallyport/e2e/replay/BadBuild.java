package io.sallyport.e2e.replay;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.hash.ContentHash;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.SensorStore;
import io.sallyport.normalizer.generation.LoggedPredecessors;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.metrics.NormalizerMetrics;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.normalizer.streams.NormalizerStreams;
import io.sallyport.normalizer.streams.StreamsSettings;
import io.sallyport.proto.normalizer.v1.EpochState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.function.Function;

/**
 * A normalizer of the production parts with a core that corrupts on purpose: it loses every third event and scrambles the
 * next, and remembers of each epoch that a thousand seqs more have come than did. It keeps to the protocol otherwise, and
 * proves what it writes: that is what makes it hard to notice.
 */
final class BadBuild {
    static final String SCRAMBLED = "scrambled by a bad build";
    private static final int AHEAD = 1_000;

    private BadBuild() {}

    /** Takes the place of the instance that was stopped: its name, its stores. */
    static RunningGenerations start(String bootstrapServers, Path stateDir) {
        var meters = new SimpleMeterRegistry();
        var settings = new StreamsSettings(
                bootstrapServers,
                "local",
                stateDir,
                new StreamsSettings.Instance("normalizer-0", "", 10_000),
                1,
                100,
                3_600_000,
                TopicSizing.LOCAL);
        var generations = new RunningGenerations(
                bootstrapServers,
                (incarnation, onGivingUp) -> new NormalizerStreams(
                        settings,
                        incarnation,
                        () -> new Core(
                                Decider.dedupe(Limits.DEFAULTS, type -> true).get()),
                        new LoggedPredecessors(bootstrapServers),
                        new NormalizerMetrics(meters, new Alerts(meters)),
                        onGivingUp),
                () -> {});
        generations.start();
        return generations;
    }

    private static final class Core implements Decider {
        private final Decider right;
        private final ContentHash hashes = new ContentHash();

        Core(Decider right) {
            this.right = right;
        }

        @Override
        public Decision decide(RawRecord raw, Function<SensorKey, SensorStore> stores) {
            Decision decision = right.decide(raw, sensor -> spoiling(stores.apply(sensor)));
            var effects = new ArrayList<Effect>();
            for (Effect effect : decision.effects()) {
                if (!(effect instanceof Effect.Commit commit) || commit.event().seq() % 3 == 2) {
                    effects.add(effect);
                } else if (commit.event().seq() % 3 == 1) {
                    effects.add(new Effect.Commit(
                            commit.admission(), commit.index(), scrambled(commit.event()), commit.clockSkew()));
                }
            }
            return new Decision(effects, decision.tally());
        }

        private Effect.Event scrambled(Effect.Event event) {
            ByteBuffer payload = ByteBuffer.wrap(SCRAMBLED.getBytes(StandardCharsets.UTF_8));
            return new Effect.Event(
                    event.seq(),
                    event.type(),
                    event.payloadSchema(),
                    event.eventTsUs(),
                    payload,
                    hashes.payloadDigest(payload));
        }

        private static SensorStore spoiling(SensorStore store) {
            return (SensorStore) Proxy.newProxyInstance(
                    SensorStore.class.getClassLoader(), new Class<?>[] {SensorStore.class}, (proxy, method, args) -> {
                        if (method.getName().equals("putEpoch")) {
                            args[1] = ahead((byte[]) args[1]);
                        }
                        try {
                            return method.invoke(store, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private static byte[] ahead(byte[] state) throws InvalidProtocolBufferException {
            EpochState epoch = EpochState.parseFrom(state);
            return epoch.toBuilder().setTop(epoch.getTop() + AHEAD).build().toByteArray();
        }

        @Override
        public void close() {
            right.close();
        }
    }
}
