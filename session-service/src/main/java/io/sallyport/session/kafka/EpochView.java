package io.sallyport.session.kafka;

import static io.sallyport.envelope.epoch.SessionId.isNewer;

import io.sallyport.envelope.epoch.EpochRules;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.session.core.EpochAuthority;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of each sensor's epoch: the replicated `epoch-table`, and on top of it what its own sessions
 * brought about, which counts at once. Knowledge only grows; thread-safe.
 */
final class EpochView implements TopicView.Sink<EpochState> {
    private final ConcurrentMap<SensorKey, Known> sensors = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> customers = new ConcurrentHashMap<>();
    private final List<EpochAuthority.Listener> listeners = new CopyOnWriteArrayList<>();

    /** The part of a sensor's state that a node decides by; a node keeps one of every sensor of the cell. */
    record Known(long epoch, long newestSessionId, long lastAppendSessionId, long acked, EpochVerdict verdict) {
        private static final Known NOTHING = new Known(0, 0, 0, 0, EpochVerdict.RESUMED);

        private static Known of(EpochState state) {
            return new Known(
                    EpochRules.epoch(state),
                    state.getNewestSessionId(),
                    state.getLastAppendSessionId(),
                    state.getAcked(),
                    state.getVerdict());
        }

        /** The table is behind what this node's own sessions reported, never the other way round. */
        private Known merge(Known other) {
            Known ahead = other.epoch >= epoch ? other : this;
            return new Known(
                    ahead.epoch,
                    SessionId.newest(newestSessionId, other.newestSessionId),
                    ahead.lastAppendSessionId,
                    other.epoch == epoch ? Math.max(acked, other.acked) : ahead.acked,
                    ahead.verdict);
        }
    }

    void onChange(EpochAuthority.Listener listener) {
        listeners.add(listener);
    }

    long newestSessionId(SensorKey sensor) {
        Known known = sensors.get(sensor);
        return known == null ? 0 : known.newestSessionId();
    }

    long newestEpoch(SensorKey sensor) {
        Known known = sensors.get(sensor);
        return known == null ? 0 : known.epoch();
    }

    @Nullable
    Known known(SensorKey sensor) {
        return sensors.get(sensor);
    }

    int size() {
        return sensors.size();
    }

    /** A session of this node, known before the table shows it. Calls no listener: its caller knows already. */
    void saw(SensorKey sensor, long epoch, long sessionId) {
        Known before = sensors.get(sensor);
        if (before == null || epoch > before.epoch() || isNewer(sessionId, before.newestSessionId())) {
            merge(sensor, new Known(epoch, sessionId, 0, 0, EpochVerdict.RESUMED));
        }
    }

    /** What an answer says; listeners hear of it as they do of the table. */
    void answered(SensorKey sensor, long epoch, long newestSessionId) {
        Known before = sensors.get(sensor);
        saw(sensor, epoch, newestSessionId);
        tell(sensor, before);
    }

    @Override
    public void put(String key, EpochState state) {
        SensorKey.fromTopicKey(key).ifPresent(parsed -> {
            SensorKey sensor = compact(parsed);
            Known before = sensors.get(sensor);
            merge(sensor, Known.of(state));
            tell(sensor, before);
        });
    }

    @Override
    public void remove(String key) {
        SensorKey.fromTopicKey(key).ifPresent(sensors::remove);
    }

    private void merge(SensorKey sensor, Known known) {
        sensors.merge(sensor, known, Known::merge);
    }

    private void tell(SensorKey sensor, @Nullable Known before) {
        Known now = sensors.get(sensor);
        Known then = before == null ? Known.NOTHING : before;
        if (now != null && (now.epoch() != then.epoch() || now.newestSessionId() != then.newestSessionId())) {
            for (EpochAuthority.Listener listener : listeners) {
                listener.changed(sensor, now.epoch(), now.newestSessionId());
            }
        }
    }

    /** One string for each customer instead of one for each sensor. */
    private SensorKey compact(SensorKey sensor) {
        String known = customers.putIfAbsent(sensor.customerId(), sensor.customerId());
        return known == null ? sensor : new SensorKey(known, sensor.sensorId());
    }
}
