package io.sallyport.router.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The working copy of one sensor's state during one decision. */
final class Turn {
    /** The order of delivery. */
    static final Comparator<Entry> DELIVERY = Comparator.<Entry>comparingInt(
                    entry -> entry.handling().lane())
            .thenComparing((a, b) ->
                    Long.compareUnsigned(a.message().getRevision(), b.message().getRevision()))
            .thenComparing(Entry::msgId);

    private static final long PURGE_STEP_US = 3_600_000_000L;

    final SensorKey sensor;
    final Surroundings around;
    final Limits limits;
    final long nowUs;
    final List<Entry> open;
    final Map<String, Long> newest;
    final Map<Integer, Long> pushed;
    Optional<Session> session;
    long purgeUs;

    private final List<Effect> effects = new ArrayList<>();
    private final Map<String, Effect.StatusChanged> changes = new LinkedHashMap<>();
    private final Set<String> missingBodies = new LinkedHashSet<>();

    Turn(SensorKey sensor, SensorState state, Surroundings around, long nowUs, Limits limits) {
        this.sensor = sensor;
        this.around = around;
        this.limits = limits;
        this.nowUs = nowUs;
        this.open = new ArrayList<>(state.open());
        this.newest = new HashMap<>(state.marks().newest());
        this.pushed = new HashMap<>(state.marks().pushed());
        this.session = state.session();
        this.purgeUs = state.purgeUs();
    }

    /** The session to push to; empty while the sensor is away or its node is dead. */
    Optional<Session> liveSession() {
        return session.filter(known -> known.connected() && around.isNodeAlive(known));
    }

    Optional<Entry> find(String msgId) {
        return open.stream().filter(entry -> entry.msgId().equals(msgId)).findFirst();
    }

    void add(Entry entry) {
        int at = 0;
        while (at < open.size() && DELIVERY.compare(open.get(at), entry) < 0) {
            at++;
        }
        open.add(at, entry);
        changed(TargetState.PLANNED, TargetState.PENDING, entry, "", 0);
    }

    void replace(Entry entry) {
        for (int i = 0; i < open.size(); i++) {
            if (open.get(i).msgId().equals(entry.msgId())) {
                open.set(i, entry);
                return;
            }
        }
        throw new IllegalStateException("the entry is not open");
    }

    void pushed(Entry before, Session to, Effect.Path path) {
        Entry entry = before.pushed(to.sessionId(), nowUs);
        replace(entry);
        pushed.merge(
                entry.message().getType(),
                entry.message().getRevision(),
                (a, b) -> Long.compareUnsigned(a, b) >= 0 ? a : b);
        effects.add(new Effect.Push(entry, to, path, previous(entry)));
        if (!before.isInFlight()) {
            changed(TargetState.PENDING, TargetState.IN_FLIGHT, entry, "", 0);
        }
    }

    /** Takes an open entry out of the queue for good. */
    void settle(Entry entry, TargetState state, String detail, int code) {
        if (!open.removeIf(other -> other.msgId().equals(entry.msgId()))) {
            throw new IllegalStateException("the entry is not open");
        }
        remember(changed(entry.state(), state, entry, detail, code), entry.message());
    }

    /** Settles a target that never was in the queue. */
    void settleNew(QueueEntry message, TargetState state, String detail) {
        Entry entry = Entry.pending(message, new Entry.Handling(0, false, ""));
        remember(changed(TargetState.PLANNED, state, entry, detail, 0), message);
    }

    void effect(Effect effect) {
        effects.add(effect);
    }

    void count(Note note) {
        effects.add(new Effect.Count(note));
    }

    void missingBody(String msgId) {
        missingBodies.add(msgId);
    }

    boolean isMissing(String msgId) {
        return missingBodies.contains(msgId);
    }

    /** Forgets what was settled long enough ago. */
    void purge() {
        if (purgeUs == 0 || purgeUs > nowUs) {
            return;
        }
        purgeUs = 0;
        for (Settled settled : around.allSettled()) {
            if (settled.keepUntilUs() <= nowUs) {
                effects.add(new Effect.Forget(settled));
            } else {
                purgeUs = earliest(purgeUs, settled.keepUntilUs());
            }
        }
    }

    Transition end(long dueUs) {
        var all = new ArrayList<Effect>(changes.values());
        all.addAll(effects);
        var state = new SensorState(session, open, new SensorState.Marks(newest, pushed), purgeUs, dueUs);
        return new Transition(state, all, missingBodies);
    }

    private void remember(TargetStatus status, QueueEntry message) {
        long keepUntilUs = Math.max(message.getExpiresAtUs(), nowUs) + limits.retentionUs();
        // Rounded up, so that a sensor's rows are forgotten together and not one by one.
        keepUntilUs = (keepUntilUs / PURGE_STEP_US + 1) * PURGE_STEP_US;
        purgeUs = earliest(purgeUs, keepUntilUs);
        effects.add(new Effect.Remember(new Settled(status, message.getExpiresAtUs(), keepUntilUs)));
    }

    private TargetStatus changed(TargetState from, TargetState to, Entry entry, String detail, int code) {
        TargetStatus status = TargetStatus.newBuilder()
                .setCustomerId(sensor.customerId())
                .setSensorId(sensor.sensorId())
                .setMsgId(entry.msgId())
                .setState(to)
                .setDetail(detail)
                .setCode(code)
                .setPushes(entry.pushes().total())
                .setAtUs(nowUs)
                .build();
        // Only the net change of a decision is told.
        Effect.StatusChanged earlier = changes.get(entry.msgId());
        changes.put(
                entry.msgId(),
                new Effect.StatusChanged(earlier == null ? from : earlier.from(), status, entry.message()));
        return status;
    }

    /** The queue is in order of revision within a type. */
    private OptionalLong previous(Entry entry) {
        return open.stream()
                .takeWhile(other -> other != entry)
                .filter(other -> other.message().getType() == entry.message().getType() && !other.isWithdrawn())
                .mapToLong(other -> other.message().getRevision())
                .reduce((older, newer) -> newer);
    }

    private static long earliest(long a, long b) {
        return a == 0 ? b : Math.min(a, b);
    }
}
