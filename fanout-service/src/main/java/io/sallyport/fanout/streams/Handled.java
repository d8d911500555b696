package io.sallyport.fanout.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.proto.log.v1.MessageDecision;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * How far `ingress` is handled. A revision is an offset of it, so in an `ingress` that was made anew below the state every
 * message would be older than what is there, and be superseded in silence.
 *
 * <p>It is kept beside the decisions and looks like one that never expires: a store of its own would be a topic that members
 * of the version before neither make nor know, while both run.
 */
final class Handled {
    /** No message has it: its customer would have no id. */
    static final String KEY = "/handled";

    private static final long NEVER_US = Long.MAX_VALUE / 2;

    private final KeyValueStore<String, byte[]> decisions;

    Handled(KeyValueStore<String, byte[]> decisions) {
        this.decisions = decisions;
    }

    /** @throws LogMadeAnewException where the record is of another log than those before it */
    void next(RecordMetadata at, long appendMs) {
        byte[] stored = decisions.get(KEY);
        if (stored != null) {
            MessageDecision last = parse(stored);
            if (at.offset() <= last.getRevision()) {
                LogMadeAnewException.refuse(
                        at.topic(),
                        at.partition(),
                        at.offset(),
                        appendMs,
                        last.getRevision(),
                        last.getAcceptedAtUs() / 1_000);
                return;
            }
        }
        decisions.put(
                KEY,
                MessageDecision.newBuilder()
                        .setRevision(at.offset())
                        .setAcceptedAtUs(appendMs * 1_000)
                        .setExpiresAtUs(NEVER_US)
                        .build()
                        .toByteArray());
    }

    private static MessageDecision parse(byte[] stored) {
        try {
            return MessageDecision.parseFrom(stored);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store of decisions holds what is no decision", e);
        }
    }
}
