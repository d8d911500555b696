package io.sallyport.session.netty;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.SessionPush;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The live sessions of this node: at most one per sensor, the newest. */
final class SessionRegistry {

    /** A live session, seen from other threads. Every call returns at once. */
    interface Link {
        SensorKey sensor();

        long sessionId();

        void superseded();

        void changed(long newestEpoch, long newestSessionId);

        void push(SessionPush push);
    }

    private final ConcurrentMap<SensorKey, Link> bySensor = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, Link> bySession = new ConcurrentHashMap<>();
    /** Asked for and not open yet. */
    private final ConcurrentMap<Long, Link> opening = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Integer> byCustomer = new ConcurrentHashMap<>();

    /** A session that is asked for: once the directory knows it, others may address it. Ends with {@link #unregister}. */
    void opening(Link link) {
        opening.put(link.sessionId(), link);
    }

    /** Makes a session known, and ends an older one of the same sensor. False where a newer one is here already. */
    boolean register(Link link) {
        var replaced = new AtomicReference<@Nullable Link>();
        var isNewest = new AtomicBoolean(true);
        bySensor.compute(link.sensor(), (sensor, before) -> {
            if (before != null && SessionId.isNewer(before.sessionId(), link.sessionId())) {
                isNewest.set(false);
                return before;
            }
            replaced.set(before);
            return link;
        });
        if (!isNewest.get()) {
            return false;
        }
        bySession.put(link.sessionId(), link);
        opening.remove(link.sessionId(), link);
        Link older = replaced.get();
        if (older != null) {
            older.superseded();
        } else {
            byCustomer.merge(link.sensor().customerId(), 1, Integer::sum);
        }
        return true;
    }

    /** Forgets a session; another one of the same sensor stays. */
    void unregister(Link link) {
        if (bySensor.remove(link.sensor(), link)) {
            byCustomer.computeIfPresent(link.sensor().customerId(), (customer, count) -> count == 1 ? null : count - 1);
        }
        bySession.remove(link.sessionId(), link);
        opening.remove(link.sessionId(), link);
    }

    @Nullable
    Link ofSensor(SensorKey sensor) {
        return bySensor.get(sensor);
    }

    /** A session that is open, or about to. */
    @Nullable
    Link ofSession(long sessionId) {
        // In this order: a session that opens meanwhile is in the second before it leaves the first.
        Link asked = opening.get(sessionId);
        return asked == null ? bySession.get(sessionId) : asked;
    }

    /** Sensors of a customer that are connected here. */
    int ofCustomer(String customerId) {
        return byCustomer.getOrDefault(customerId, 0);
    }

    int size() {
        return bySession.size();
    }
}
