package io.sallyport.local.bench;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.sim.fleet.MessageListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When the sensors of a fleet applied which message. Thread-safe. */
final class Arrivals implements MessageListener {
    /** Times of {@link System#nanoTime()} for each message, in order. */
    private final Map<String, List<Long>> byMessage = new HashMap<>();

    @Override
    public void taken(SensorKey sensor, Message message, Outcome outcome) {
        if (outcome == Outcome.APPLIED) {
            synchronized (byMessage) {
                byMessage
                        .computeIfAbsent(message.getMsgId(), id -> new ArrayList<>())
                        .add(System.nanoTime());
                byMessage.notifyAll();
            }
        }
    }

    /** Waits without a look now and then: on few processors that would cost what is measured. */
    boolean await(String msgId, int sensors, Duration patience) throws InterruptedException {
        long deadlineNs = System.nanoTime() + patience.toNanos();
        synchronized (byMessage) {
            while (sensors(msgId) < sensors) {
                long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
                if (leftMs <= 0) {
                    return false;
                }
                byMessage.wait(leftMs);
            }
        }
        return true;
    }

    private int sensors(String msgId) {
        return byMessage.getOrDefault(msgId, List.of()).size();
    }

    /**
     * When that share of those sensors had applied it that have by now; 0 is the first one's time, 1 the last one's.
     *
     * @throws IllegalStateException where it has reached nobody
     */
    long atNs(String msgId, double share) {
        synchronized (byMessage) {
            List<Long> times = byMessage.getOrDefault(msgId, List.of());
            if (times.isEmpty()) {
                throw new IllegalStateException(msgId + " has reached nobody");
            }
            return times.get((int) Math.round(share * (times.size() - 1)));
        }
    }
}
