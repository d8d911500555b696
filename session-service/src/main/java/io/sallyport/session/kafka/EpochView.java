package io.sallyport.session.kafka;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.session.core.EpochAuthority;
import io.sallyport.session.core.KnownEpoch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of each sensor of the cell: the replicated `epoch-table`, and on top of it what its own sessions
 * brought about, which counts at once. Thread-safe; of two connections of one sensor only one is resumed.
 */
final class EpochView implements TopicView.Sink<EpochState> {
    private final ConcurrentMap<SensorKey, KnownEpoch> sensors = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> customers = new ConcurrentHashMap<>();
    private final List<EpochAuthority.Listener> listeners = new CopyOnWriteArrayList<>();

    void onChange(EpochAuthority.Listener listener) {
        listeners.add(listener);
    }

    long newestSessionId(SensorKey sensor) {
        return known(sensor).newestSessionId();
    }

    /** A session of an epoch below it is to end. */
    long openEpoch(SensorKey sensor) {
        return known(sensor).openEpoch();
    }

    private KnownEpoch known(SensorKey sensor) {
        return sensors.getOrDefault(sensor, KnownEpoch.NOTHING);
    }

    /** Decides an ordinary resume and counts it as seen; empty where the authority is to be asked. */
    Optional<EpochAnswer> resume(SensorKey sensor, EpochClaim claim) {
        var answer = new AtomicReference<@Nullable EpochAnswer>();
        sensors.computeIfPresent(sensor, (key, known) -> {
            Optional<KnownEpoch.Resume> resume = known.resume(claim);
            resume.ifPresent(decided -> answer.set(decided.answer()));
            return resume.map(KnownEpoch.Resume::known).orElse(known);
        });
        return Optional.ofNullable(answer.get());
    }

    /** What a session of this node brings about, before the table shows it. Calls no listener: its caller knows. */
    void reported(SensorKey sensor, SessionReport report) {
        merge(sensor, KnownEpoch.of(report));
    }

    /** What an answer says; listeners hear of it as they do of the table. */
    void answered(SensorKey sensor, EpochAnswer answer, EpochClaim claim) {
        KnownEpoch before = known(sensor);
        merge(sensor, KnownEpoch.of(answer, claim));
        tell(sensor, before);
    }

    @Override
    public void put(String key, EpochState state) {
        SensorKey.fromTopicKey(key).ifPresent(parsed -> {
            SensorKey sensor = compact(parsed);
            KnownEpoch before = known(sensor);
            merge(sensor, KnownEpoch.of(state));
            tell(sensor, before);
        });
    }

    @Override
    public void remove(String key) {
        SensorKey.fromTopicKey(key).ifPresent(sensors::remove);
    }

    private void merge(SensorKey sensor, KnownEpoch known) {
        sensors.merge(sensor, known, KnownEpoch::merge);
    }

    private void tell(SensorKey sensor, KnownEpoch before) {
        KnownEpoch now = known(sensor);
        if (now.openEpoch() != before.openEpoch() || now.newestSessionId() != before.newestSessionId()) {
            for (EpochAuthority.Listener listener : listeners) {
                listener.changed(sensor, now.openEpoch(), now.newestSessionId());
            }
        }
    }

    /** One string for each customer instead of one for each sensor. */
    private SensorKey compact(SensorKey sensor) {
        String known = customers.putIfAbsent(sensor.customerId(), sensor.customerId());
        return known == null ? sensor : new SensorKey(known, sensor.sensorId());
    }
}
