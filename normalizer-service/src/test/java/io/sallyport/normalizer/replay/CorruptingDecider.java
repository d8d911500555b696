package io.sallyport.normalizer.replay;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.normalizer.core.Decision;
import io.sallyport.normalizer.core.Effect;
import io.sallyport.normalizer.core.RawRecord;
import io.sallyport.normalizer.core.SensorStore;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.proto.normalizer.v1.EpochState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.function.Function;

/**
 * A bad build: it loses every third event and scrambles the next, proves what it wrote, and remembers of each epoch that
 * twenty seqs more have come than did. Everything else is the real normalizer.
 */
final class CorruptingDecider implements Decider {
    static final String SCRAMBLED = "scrambled";
    private static final int AHEAD = 20;

    private final Decider real;

    CorruptingDecider(Decider real) {
        this.real = real;
    }

    @Override
    public Decision decide(RawRecord raw, Function<SensorKey, SensorStore> stores) {
        Decision right = real.decide(raw, sensor -> spoiling(stores.apply(sensor)));
        var effects = new ArrayList<Effect>();
        for (Effect effect : right.effects()) {
            if (!(effect instanceof Effect.Commit commit)) {
                effects.add(effect);
            } else if (commit.event().seq() % 3 == 1) {
                effects.add(new Effect.Commit(commit.admission(), commit.index(), scrambled(commit.event()), false));
            } else if (commit.event().seq() % 3 == 2) {
                effects.add(commit);
            }
        }
        return new Decision(effects, right.tally());
    }

    private static Effect.Event scrambled(Effect.Event event) {
        byte[] payload = SCRAMBLED.getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(payload);
            return new Effect.Event(
                    event.seq(),
                    event.type(),
                    event.payloadSchema(),
                    event.eventTsUs(),
                    ByteBuffer.wrap(payload),
                    digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
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

    private static byte[] ahead(byte[] state) {
        try {
            EpochState epoch = EpochState.parseFrom(state);
            return epoch.toBuilder().setTop(epoch.getTop() + AHEAD).build().toByteArray();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        real.close();
    }
}
