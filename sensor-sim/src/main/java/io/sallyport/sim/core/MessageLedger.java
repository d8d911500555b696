package io.sallyport.sim.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last 1,024 messages that were answered: a repeat gets the same answer and is not applied again. */
final class MessageLedger {
    static final int CAPACITY = 1_024;

    private final Map<String, Boolean> answers = new LinkedHashMap<>();
    private long nextOrdinal;

    MessageLedger(List<RememberedMessage> remembered) {
        for (RememberedMessage message : remembered) {
            put(message.msgId(), message.applied());
            nextOrdinal = message.ordinal() + 1;
        }
    }

    /** Whether it was applied; null where it is not known. */
    @Nullable
    Boolean answerTo(String msgId) {
        return answers.get(msgId);
    }

    RememberedMessage remember(String msgId, boolean applied) {
        put(msgId, applied);
        return new RememberedMessage(nextOrdinal++, msgId, applied);
    }

    private void put(String msgId, boolean applied) {
        answers.put(msgId, applied);
        if (answers.size() > CAPACITY) {
            var oldest = answers.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
