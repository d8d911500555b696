package io.sallyport.router.streams;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.proto.router.v1.KnownSession;
import io.sallyport.proto.router.v1.OpenEntry;
import io.sallyport.proto.router.v1.SensorQueue;
import io.sallyport.proto.router.v1.SettledTarget;
import io.sallyport.proto.router.v1.Withdrawn;
import io.sallyport.router.core.Entry;
import io.sallyport.router.core.SensorState;
import io.sallyport.router.core.Session;
import io.sallyport.router.core.Settled;
import java.util.List;
import java.util.Optional;

/** States as they stand in the stores. */
final class StateCodec {
    private StateCodec() {}

    static byte[] encode(SensorState state) {
        var queue = SensorQueue.newBuilder()
                .putAllNewest(state.marks().newest())
                .putAllPushed(state.marks().pushed())
                .setPurgeUs(state.purgeUs())
                .setDueUs(state.dueUs());
        state.session()
                .ifPresent(session -> queue.setSession(KnownSession.newBuilder()
                        .setSessionId(session.sessionId())
                        .setConnected(session.connected())
                        .setEpoch(session.epoch())));
        for (Entry entry : state.open()) {
            queue.addOpen(OpenEntry.newBuilder()
                    .setMessage(entry.message())
                    .setLane(entry.handling().lane())
                    .setEvictable(entry.handling().evictable())
                    .setGroup(entry.handling().group())
                    .setPushes(entry.pushes().total())
                    .setAttempts(entry.pushes().attempts())
                    .setPushSessionId(entry.pushes().sessionId())
                    .setPushUs(entry.pushes().lastUs())
                    .setWithdrawn(
                            switch (entry.withdrawal()) {
                                case NONE -> Withdrawn.WITHDRAWN_NOT;
                                case SUPERSEDED -> Withdrawn.WITHDRAWN_SUPERSEDED;
                                case CANCELLED -> Withdrawn.WITHDRAWN_CANCELLED;
                            }));
        }
        return queue.build().toByteArray();
    }

    static SensorState sensor(byte[] stored) {
        try {
            SensorQueue queue = SensorQueue.parseFrom(stored);
            Optional<Session> session = queue.hasSession()
                    ? Optional.of(new Session(
                            queue.getSession().getSessionId(),
                            queue.getSession().getConnected(),
                            queue.getSession().getEpoch()))
                    : Optional.empty();
            List<Entry> open =
                    queue.getOpenList().stream().map(StateCodec::entry).toList();
            return new SensorState(
                    session,
                    open,
                    new SensorState.Marks(queue.getNewestMap(), queue.getPushedMap()),
                    queue.getPurgeUs(),
                    queue.getDueUs());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds an unreadable queue", e);
        }
    }

    static byte[] encode(Settled settled) {
        return SettledTarget.newBuilder()
                .setStatus(settled.status())
                .setExpiresAtUs(settled.expiresAtUs())
                .setKeepUntilUs(settled.keepUntilUs())
                .build()
                .toByteArray();
    }

    static Settled settled(byte[] stored) {
        try {
            SettledTarget settled = SettledTarget.parseFrom(stored);
            return new Settled(settled.getStatus(), settled.getExpiresAtUs(), settled.getKeepUntilUs());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the store holds an unreadable target", e);
        }
    }

    private static Entry entry(OpenEntry stored) {
        return new Entry(
                stored.getMessage(),
                new Entry.Handling(stored.getLane(), stored.getEvictable(), stored.getGroup()),
                new Entry.Pushes(
                        stored.getPushes(), stored.getAttempts(), stored.getPushSessionId(), stored.getPushUs()),
                switch (stored.getWithdrawn()) {
                    case WITHDRAWN_SUPERSEDED -> Entry.Withdrawal.SUPERSEDED;
                    case WITHDRAWN_CANCELLED -> Entry.Withdrawal.CANCELLED;
                    case WITHDRAWN_NOT, UNRECOGNIZED -> Entry.Withdrawal.NONE;
                });
    }
}
