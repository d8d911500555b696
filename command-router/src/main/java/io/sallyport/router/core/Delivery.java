package io.sallyport.router.core;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Entry.Withdrawal;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Ends every decision: drops what has expired, sends what may be sent, and finds the time of the next look.
 *
 * <p>Order: lane by lane, then by revision. Within a message type it is strict: nothing is sent before what is older of
 * its type, and a repetition repeats all that is newer of its type too, so that the sensor never ends with an older one.
 * Between types, one that must wait does not hold up the others.
 */
final class Delivery {
    private final Turn turn;
    private final Set<Integer> heldTypes = new HashSet<>();
    private final Set<Integer> repeatedTypes = new HashSet<>();
    private final Set<Integer> bodilessTypes = new HashSet<>();
    private int urgentInFlight;
    private int othersInFlight;
    private long bytesInFlight;

    private Delivery(Turn turn) {
        this.turn = turn;
    }

    static Transition run(Turn turn) {
        for (Entry entry : List.copyOf(turn.open)) {
            if (entry.isExpired(turn.nowUs)) {
                turn.settle(entry, entry.isWithdrawn() ? entry.withdrawal().state() : TargetState.EXPIRED, "", 0);
            }
        }
        turn.purge();
        Optional<Session> live = turn.liveSession();
        live.ifPresent(new Delivery(turn)::pushTo);
        return turn.end(dueUs(turn, live));
    }

    private void pushTo(Session session) {
        for (Entry entry : turn.open) {
            if (entry.isInFlight()) {
                inFlight(entry, 1);
            }
        }
        for (Entry entry : List.copyOf(turn.open)) {
            if (entry.isInFlight()) {
                again(entry, session);
            } else {
                first(entry, session);
            }
        }
    }

    private void again(Entry entry, Session session) {
        int type = entry.message().getType();
        boolean replay = entry.pushes().sessionId() != session.sessionId();
        boolean repeat = entry.repeatAtUs(turn.limits.repeat()) <= turn.nowUs || repeatedTypes.contains(type);
        if (bodilessTypes.contains(type)) {
            return;
        }
        if (!replay && !repeat) {
            if (entry.withdrawal() == Withdrawal.SUPERSEDED) {
                // It may still be answered: its successor waits beside it until then, or until it replaces it.
                heldTypes.add(type);
            }
        } else if (entry.isWithdrawn()) {
            inFlight(entry, -1);
            turn.settle(entry, entry.withdrawal().state(), "", 0);
        } else if (hasBody(entry)) {
            turn.pushed(entry, session, replay ? Effect.Path.REPLAY : Effect.Path.REPEAT);
            repeatedTypes.add(type);
        }
    }

    private void first(Entry entry, Session session) {
        QueueEntry message = entry.message();
        if (heldTypes.contains(message.getType())) {
            return;
        }
        if (message.getDeliverAtUs() > turn.nowUs || !hasRoom(entry) || !hasBody(entry)) {
            heldTypes.add(message.getType());
            return;
        }
        inFlight(entry, 1);
        boolean waited = message.getAcceptedAtUs() < SessionId.ms(session.sessionId()) * 1_000;
        turn.pushed(entry, session, waited ? Effect.Path.REPLAY : Effect.Path.LIVE);
    }

    private boolean hasRoom(Entry entry) {
        Limits.Window window = turn.limits.window();
        boolean slots = entry.isUrgent() ? urgentInFlight < window.urgent() : othersInFlight < window.others();
        return slots && (bytesInFlight == 0 || bytesInFlight + entry.message().getPayloadBytes() <= window.bytes());
    }

    private boolean hasBody(Entry entry) {
        boolean has = turn.around.hasBody(entry.msgId());
        if (!has) {
            turn.missingBody(entry.msgId());
            bodilessTypes.add(entry.message().getType());
            heldTypes.add(entry.message().getType());
        }
        return has;
    }

    private void inFlight(Entry entry, int change) {
        if (entry.isUrgent()) {
            urgentInFlight += change;
        } else {
            othersInFlight += change;
        }
        bytesInFlight += (long) change * entry.message().getPayloadBytes();
    }

    private static long dueUs(Turn turn, Optional<Session> live) {
        long dueUs = turn.purgeUs == 0 ? SensorState.NEVER : turn.purgeUs;
        for (Entry entry : turn.open) {
            dueUs = Math.min(dueUs, entry.message().getExpiresAtUs());
            if (live.isPresent()) {
                dueUs = Math.min(dueUs, attentionUs(turn, entry));
            }
        }
        boolean nodeIsAway =
                live.isEmpty() && turn.session.isPresent() && turn.session.get().connected();
        return nodeIsAway && !turn.open.isEmpty() ? Math.min(dueUs, turn.nowUs + turn.limits.recheckUs()) : dueUs;
    }

    private static long attentionUs(Turn turn, Entry entry) {
        if (turn.isMissing(entry.msgId())) {
            return turn.nowUs + turn.limits.recheckUs();
        }
        if (entry.isInFlight()) {
            long repeatAtUs = entry.repeatAtUs(turn.limits.repeat());
            // One that is overdue even now was held up by something else.
            return repeatAtUs > turn.nowUs ? repeatAtUs : turn.nowUs + turn.limits.recheckUs();
        }
        // One that could go now waits for an answer to another, and that has a time of its own.
        return entry.message().getDeliverAtUs() > turn.nowUs ? entry.message().getDeliverAtUs() : SensorState.NEVER;
    }
}
