package io.sallyport.fanout.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.fanout.core.Keys;
import io.sallyport.proto.log.v1.MessageDecision;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/** Forgets plans whose message has expired, and later the message itself, so that the stores follow what is alive. */
final class Sweeper {
    /** A cancellation that comes this long after the expiry finds no plan, and needs none. */
    private static final long PLAN_GRACE_US = 3_600_000_000L;
    /** Messages that are looked at in one go. */
    private static final int AT_ONCE = 20_000;

    private final KeyValueStore<String, byte[]> decisions;
    private final KeyValueStore<String, byte[]> plans;
    private final long rememberedUs;
    private String from = "";

    Sweeper(KeyValueStore<String, byte[]> decisions, KeyValueStore<String, byte[]> plans, long rememberedUs) {
        this.decisions = decisions;
        this.plans = plans;
        this.rememberedUs = rememberedUs;
    }

    /** @param forgotten called with the key of each message that nobody remembers any more */
    void sweep(long nowUs, Consumer<String> forgotten) {
        var expired = new ArrayList<MessageDecision>();
        int seen = 0;
        try (var rows = from.isEmpty() ? decisions.all() : decisions.range(from, "~")) {
            while (rows.hasNext() && seen < AT_ONCE) {
                KeyValue<String, byte[]> row = rows.next();
                seen++;
                from = row.key;
                MessageDecision decision = MessageDecision.parseFrom(row.value);
                if (decision.getExpiresAtUs() + PLAN_GRACE_US < nowUs) {
                    expired.add(decision);
                }
            }
            from = rows.hasNext() ? from : "";
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of decisions holds what is no decision", e);
        }
        for (MessageDecision decision : expired) {
            for (int chunk = 0; chunk < decision.getChunks(); chunk++) {
                String key = Keys.chunk(decision.getCustomerId(), decision.getMsgId(), chunk);
                if (plans.get(key) == null) {
                    break;
                }
                plans.delete(key);
            }
            if (decision.getExpiresAtUs() + rememberedUs < nowUs) {
                String key = Keys.message(decision.getCustomerId(), decision.getMsgId());
                decisions.delete(key);
                forgotten.accept(key);
            }
        }
    }
}
