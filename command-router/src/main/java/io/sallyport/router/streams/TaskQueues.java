package io.sallyport.router.streams;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Effect;
import io.sallyport.router.core.QueueEvent;
import io.sallyport.router.core.QueueRules;
import io.sallyport.router.core.SensorState;
import io.sallyport.router.core.Session;
import io.sallyport.router.core.Settled;
import io.sallyport.router.core.Surroundings;
import io.sallyport.router.core.Transition;
import io.sallyport.router.metrics.RouterMeters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The queues of one task: asks the rules, carries their effects out, and knows who is due. Everything that lasts is in
 * the stores; what is in memory is found again at the start of a task, also after an aborted transaction.
 */
final class TaskQueues {
    /** An entry and its body become visible together, but two readers fetch them. */
    private static final long BODY_WAIT_MS = 25;

    private static final int MAX_WAITING = 10_000;
    private static final int MAX_DUE_PER_TICK = 1_000;
    private static final long TELL_INTERVAL_US = 50_000;
    private static final long LOOK_FOR_BODIES_US = 10_000;
    private static final long BODY_SOON_US = 5_000_000;

    private final RouterTopology.Parts parts;
    private final RouterMeters meters;
    private final SensorStores stores;
    private final MessageCounters counters;
    private final Outbox outbox;
    private final int task;
    private final int nodes;
    private final DueIndex<SensorKey> due = new DueIndex<>();
    /** Who waits for which body; beyond the bound, the time of the next look does. */
    private final Map<MessageKey, Set<SensorKey>> waiting = new HashMap<>();

    private final Map<String, Long> depths = new HashMap<>();
    private int waitingSensors;
    /** When one more sensor began to wait for a body. */
    private long waitedForUs;

    private long toldUs;

    TaskQueues(
            RouterTopology.Parts parts,
            SensorStores stores,
            MessageCounters counters,
            Outbox outbox,
            int task,
            int nodes) {
        this.parts = parts;
        this.meters = parts.meters();
        this.stores = stores;
        this.counters = counters;
        this.outbox = outbox;
        this.task = task;
        this.nodes = nodes;
    }

    void load() {
        stores.forEach((sensor, state) -> {
            due.move(sensor, SensorState.NEVER, state.dueUs());
            depthChanged(sensor, state.open().size());
        });
        counters.load();
    }

    void handle(SensorKey sensor, QueueEvent event, long nowUs) {
        SensorState before = stores.state(sensor);
        if (event instanceof QueueEvent.Entered entered
                && entered.entry().getDeliverAtUs() <= nowUs
                && before.session().map(Session::connected).orElse(false)) {
            MessageKey.of(sensor.customerId(), entered.entry().getMsgId())
                    // Once for each message: while it is waited for, its other sensors just queue up.
                    .filter(message -> !waiting.containsKey(message))
                    .ifPresent(message -> parts.bodies().await(message, BODY_WAIT_MS));
        }
        decide(sensor, before, event, nowUs);
    }

    /** Looks at whoever is due, at bodies that have arrived, and tells the counts. */
    void tick(long nowUs) {
        for (SensorKey sensor : due.due(nowUs, MAX_DUE_PER_TICK)) {
            decide(sensor, stores.state(sensor), new QueueEvent.Due(), nowUs);
        }
        for (MessageKey message : List.copyOf(waiting.keySet())) {
            if (parts.bodies().has(message)) {
                Set<SensorKey> sensors = waiting.remove(message);
                if (sensors != null) {
                    waitingSensors -= sensors.size();
                    sensors.forEach(sensor -> decide(sensor, stores.state(sensor), new QueueEvent.Due(), nowUs));
                }
            }
        }
        if (nowUs - toldUs >= TELL_INTERVAL_US) {
            toldUs = nowUs;
            counters.purge(nowUs, MAX_DUE_PER_TICK, (message, gone) -> outbox.counts(message, task, gone));
            counters.tell((message, partial) -> outbox.counts(message, task, partial));
        }
    }

    /** When {@link #tick} has something to do; {@link Long#MAX_VALUE}: not before the next record. */
    long nextUs(long nowUs) {
        long purgeUs = counters.nextPurgeUs();
        // No sooner than the tick that would do it.
        long nextUs = Math.min(
                due.nextUs(), purgeUs == Long.MAX_VALUE ? purgeUs : Math.max(purgeUs, toldUs + TELL_INTERVAL_US));
        if (!waiting.isEmpty()) {
            // A body that has not come by now may never: its entry may have ended meanwhile.
            boolean soon = nowUs - waitedForUs < BODY_SOON_US;
            nextUs = Math.min(nextUs, nowUs + (soon ? LOOK_FOR_BODIES_US : BODY_SOON_US));
        }
        if (counters.hasUntold()) {
            nextUs = Math.min(nextUs, toldUs + TELL_INTERVAL_US);
        }
        return nextUs;
    }

    void undecodable(SensorKey sensor, String detail, long nowUs) {
        outbox.undecodable(sensor, detail, nowUs);
    }

    /** This node no longer has these queues. */
    void close() {
        depths.forEach((customer, depth) -> meters.depthChanged(customer, -depth));
        depths.clear();
    }

    private void decide(SensorKey sensor, SensorState before, QueueEvent event, long nowUs) {
        Transition decided =
                QueueRules.next(sensor, before, event, new SensorSurroundings(sensor), nowUs, parts.limits());
        for (Effect effect : decided.effects()) {
            run(sensor, effect, nowUs);
            if (effect instanceof Effect.StatusChanged changed
                    && changed.message().getTraced()) {
                trace(sensor, before, changed, nowUs);
            }
        }
        SensorState after = decided.state();
        if (!after.equals(before)) {
            stores.put(sensor, after);
            due.move(sensor, before.dueUs(), after.dueUs());
            int entries = after.open().size();
            if (entries != before.open().size()) {
                depthChanged(sensor, entries - before.open().size());
                meters.queueIs(entries);
            }
        }
        decided.missingBodies().forEach(msgId -> await(sensor, msgId, nowUs));
    }

    private void run(SensorKey sensor, Effect effect, long nowUs) {
        if (effect instanceof Effect.StatusChanged changed) {
            counters.moved(
                    message(sensor, changed.status().getMsgId()),
                    changed.from(),
                    changed.status().getState(),
                    changed.message().getExpiresAtUs(),
                    nowUs);
            outbox.target(sensor, changed.status());
            meters.reached(changed.status().getState(), changed.message(), nowUs);
        } else if (effect instanceof Effect.Push push) {
            push(sensor, push, nowUs);
        } else if (effect instanceof Effect.Remember remember) {
            stores.remember(sensor, remember.settled());
        } else if (effect instanceof Effect.Forget forget) {
            stores.forget(sensor, forget.settled());
            outbox.targetGone(sensor, forget.settled().msgId());
        } else if (effect instanceof Effect.LateAnswer late) {
            counters.answeredLate(message(sensor, late.settled().msgId()), nowUs);
            outbox.target(sensor, late.settled().status());
        } else if (effect instanceof Effect.EvictionMarker marker) {
            outbox.evicted(sensor, marker.message(), marker.epoch(), nowUs);
        } else if (effect instanceof Effect.Alert alert) {
            meters.alert(alert.kind(), "sensor " + sensor + " " + alert.detail());
        } else if (effect instanceof Effect.Count count) {
            meters.note(count.note());
        }
    }

    private void trace(SensorKey sensor, SensorState before, Effect.StatusChanged changed, long nowUs) {
        MessageKey message = message(sensor, changed.status().getMsgId());
        TargetState state = changed.status().getState();
        long acceptedUs = changed.message().getAcceptedAtUs();
        if (state == TargetState.IN_FLIGHT) {
            parts.traces().queued(message, sensor.sensorId(), acceptedUs, nowUs);
        } else if (state != TargetState.PENDING) {
            long pushedUs = before.open().stream()
                    .filter(entry -> entry.msgId().equals(message.msgId()) && entry.isInFlight())
                    .mapToLong(entry -> entry.pushes().lastUs())
                    .findFirst()
                    .orElse(acceptedUs);
            parts.traces().answered(message, sensor.sensorId(), pushedUs, nowUs, state.name());
        }
    }

    private void push(SensorKey sensor, Effect.Push push, long nowUs) {
        MessageKey message = message(sensor, push.entry().msgId());
        outbox.push(
                sensor,
                push,
                parts.bodies()
                        .payload(message)
                        .orElseThrow(() -> new IllegalStateException("a body is gone that was there")));
        meters.pushed(push.path(), push.entry().message(), push.entry().pushes().total() == 1, nowUs);
    }

    private void await(SensorKey sensor, String msgId, long nowUs) {
        if (waitingSensors < MAX_WAITING
                && waiting.computeIfAbsent(message(sensor, msgId), key -> new HashSet<>())
                        .add(sensor)) {
            waitingSensors++;
            waitedForUs = nowUs;
        }
    }

    private void depthChanged(SensorKey sensor, long change) {
        if (change != 0) {
            depths.merge(sensor.customerId(), change, Long::sum);
            meters.depthChanged(sensor.customerId(), change);
        }
    }

    private static MessageKey message(SensorKey sensor, String msgId) {
        return new MessageKey(sensor.customerId(), msgId);
    }

    /** What the rules may look at while they decide about one sensor. */
    private final class SensorSurroundings implements Surroundings {
        private final SensorKey sensor;

        SensorSurroundings(SensorKey sensor) {
            this.sensor = sensor;
        }

        @Override
        public Optional<Settled> settled(String msgId) {
            return stores.settled(sensor, msgId);
        }

        @Override
        public List<Settled> allSettled() {
            return stores.allSettled(sensor);
        }

        @Override
        public boolean isNodeAlive(Session session) {
            return session.node() < nodes && parts.control().isNodeAlive(session);
        }

        @Override
        public boolean hasBody(String msgId) {
            return parts.bodies().has(message(sensor, msgId));
        }

        @Override
        public Optional<MessageTypeSpec> type(int number) {
            return parts.control().type(number);
        }
    }
}
