package io.sallyport.local.bench;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.sim.fleet.MessageListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** When the sensors of a fleet applied which message. Thread-safe. */
final class Arrivals implements MessageListener {
    /** Times are those of {@link System#nanoTime()}; written under the entry's lock of the map. */
    private record Seen(int sensors, long firstNs, long lastNs) {}

    private final Map<String, Seen> byMessage = new ConcurrentHashMap<>();

    @Override
    public void taken(SensorKey sensor, Message message, Outcome outcome) {
        if (outcome == Outcome.APPLIED) {
            long nowNs = System.nanoTime();
            byMessage.merge(
                    message.getMsgId(),
                    new Seen(1, nowNs, nowNs),
                    (seen, one) -> new Seen(seen.sensors + 1, seen.firstNs, nowNs));
            synchronized (byMessage) {
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

    /** How many sensors have applied the message. */
    int sensors(String msgId) {
        Seen seen = byMessage.get(msgId);
        return seen == null ? 0 : seen.sensors;
    }

    /** When the last sensor so far applied it. */
    long lastNs(String msgId) {
        return seen(msgId).lastNs;
    }

    /** When the first sensor applied it. */
    long firstNs(String msgId) {
        return seen(msgId).firstNs;
    }

    private Seen seen(String msgId) {
        Seen seen = byMessage.get(msgId);
        if (seen == null) {
            throw new IllegalStateException(msgId + " has reached nobody");
        }
        return seen;
    }
}
