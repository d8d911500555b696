package io.sallyport.router.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.proto.log.v1.TargetStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One sensor's queue with its surroundings, by hand: what is sent, counted, alerted and told can be looked at. */
final class QueueBench implements Surroundings {
    final SensorKey sensor;
    final Limits limits;
    final Map<String, Settled> settled = new HashMap<>();
    final Set<String> missingBodies = new HashSet<>();
    final Map<String, TargetStatus> told = new HashMap<>();
    final Map<String, EnumMap<TargetState, Integer>> counts = new HashMap<>();
    final List<Effect.Push> pushes = new ArrayList<>();
    final List<Effect.EvictionMarker> markers = new ArrayList<>();
    final List<AlertKind> alerts = new ArrayList<>();
    final List<Note> notes = new ArrayList<>();
    int mostOpen;
    boolean nodeAlive = true;
    SensorState state = SensorState.EMPTY;
    long nowUs = Entries.START_US;

    QueueBench(String sensorId, Limits limits) {
        this.sensor = new SensorKey(Entries.CUSTOMER, sensorId);
        this.limits = limits;
    }

    QueueBench() {
        this(Entries.SENSOR, Entries.LIMITS);
    }

    /** What this event sent, by msg_id. */
    List<String> apply(QueueEvent event) {
        Transition decided = QueueRules.next(sensor, state, event, this, nowUs, limits);
        state = decided.state();
        mostOpen = Math.max(mostOpen, state.open().size());
        var sent = new ArrayList<String>();
        for (Effect effect : decided.effects()) {
            if (effect instanceof Effect.Push push) {
                pushes.add(push);
                sent.add(push.entry().msgId());
            } else if (effect instanceof Effect.StatusChanged changed) {
                String msgId = changed.status().getMsgId();
                told.put(msgId, changed.status());
                count(msgId, changed.from(), -1);
                count(msgId, changed.status().getState(), 1);
            } else if (effect instanceof Effect.Remember remember) {
                settled.put(remember.settled().msgId(), remember.settled());
            } else if (effect instanceof Effect.Forget forget) {
                settled.remove(forget.settled().msgId());
            } else if (effect instanceof Effect.LateAnswer late) {
                told.put(late.settled().msgId(), late.settled().status());
            } else if (effect instanceof Effect.EvictionMarker marker) {
                markers.add(marker);
            } else if (effect instanceof Effect.Alert alert) {
                alerts.add(alert.kind());
            } else if (effect instanceof Effect.Count count) {
                notes.add(count.note());
            }
        }
        return sent;
    }

    List<String> enter(io.sallyport.proto.log.v1.QueueEntry.Builder entry) {
        return apply(new QueueEvent.Entered(entry.setSensorId(sensor.sensorId()).build()));
    }

    List<String> connect(long sessionId) {
        return apply(new QueueEvent.SessionChanged(Entries.connected(sessionId)));
    }

    List<String> disconnect(long sessionId) {
        return apply(new QueueEvent.SessionChanged(Entries.disconnected(sessionId)));
    }

    List<String> ack(String msgId) {
        return apply(new QueueEvent.Answered(Entries.acked(msgId)));
    }

    List<String> nack(String msgId, int code) {
        return apply(new QueueEvent.Answered(Entries.nacked(msgId, code)));
    }

    /** Lets time pass to when the queue asked for attention. */
    List<String> due() {
        nowUs = Math.max(nowUs, state.dueUs());
        return apply(new QueueEvent.Due());
    }

    List<String> open() {
        return Entries.msgIds(state.open());
    }

    TargetState stateOf(String msgId) {
        TargetStatus status = told.get(msgId);
        return status == null ? TargetState.PLANNED : status.getState();
    }

    private void count(String msgId, TargetState of, int change) {
        if (of != TargetState.PLANNED) {
            counts.computeIfAbsent(msgId, key -> new EnumMap<>(TargetState.class))
                    .merge(of, change, Integer::sum);
        }
    }

    @Override
    public Optional<Settled> settled(String msgId) {
        return Optional.ofNullable(settled.get(msgId));
    }

    @Override
    public List<Settled> allSettled() {
        return List.copyOf(settled.values());
    }

    @Override
    public boolean isNodeAlive(Session session) {
        return nodeAlive;
    }

    @Override
    public boolean hasBody(String msgId) {
        return !missingBodies.contains(msgId);
    }

    @Override
    public Optional<MessageTypeSpec> type(int number) {
        return MessageTypes.seeded().stream()
                .filter(type -> type.getNumber() == number)
                .findFirst();
    }
}
