package io.sallyport.normalizer.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.proto.normalizer.v1.KeptEpoch;
import io.sallyport.proto.normalizer.v1.SensorHead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What is known of one sensor: its newest session, and the epochs that are kept. Lives for one decision. */
final class SensorLedger {
    /** Epochs with a committed record that are kept. */
    static final int KEPT_COMMITTED = 4;
    /** Most epochs that are kept. */
    static final int KEPT = 64;
    /** A closed epoch is kept at least as long. */
    static final long KEPT_CLOSED_MS = 3_600_000;

    private final SensorStore store;
    private final NavigableMap<Long, KeptEpoch> kept = new TreeMap<>();
    private final Map<Long, EpochLedger> loaded = new HashMap<>();
    private final SensorHead before;
    private long sessionId;
    private long sessionStartedMs;
    private long forgottenUpTo;

    SensorLedger(SensorStore store) {
        this.store = store;
        byte[] head = store.head();
        try {
            before = head == null ? SensorHead.getDefaultInstance() : SensorHead.parseFrom(head);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("the state store holds something that is no sensor head", e);
        }
        sessionId = before.getSessionId();
        sessionStartedMs = before.getSessionStartedMs();
        forgottenUpTo = Integer.toUnsignedLong(before.getForgottenUpTo());
        before.getEpochsList().forEach(epoch -> kept.put(Integer.toUnsignedLong(epoch.getEpoch()), epoch));
    }

    /** Whether any epoch of the sensor was ever seen. */
    boolean isKnown() {
        return !kept.isEmpty() || forgottenUpTo > 0;
    }

    /** The newest epoch that is kept; 0 for an unknown sensor. */
    long newestEpoch() {
        return kept.isEmpty() ? 0 : kept.lastKey();
    }

    /** Whether nothing newer than {@code epoch} was ever seen. */
    boolean isNew(long epoch) {
        return epoch > newestEpoch() && epoch > forgottenUpTo;
    }

    /**
     * Takes note of the session that a record came in.
     *
     * @param id 0 for a requeued record, which belongs to no session
     * @return whether it is the sensor's newest session: only its records may call a hole a gap
     */
    boolean enterSession(long id, long nowMs) {
        if (id != 0 && SessionId.isNewer(id, sessionId)) {
            sessionId = id;
            sessionStartedMs = nowMs;
        }
        return id != 0 && id == sessionId;
    }

    long sessionStartedMs() {
        return sessionStartedMs;
    }

    /** The ledger of an epoch; one that was never seen is taken up. Empty where it was given up. */
    Optional<EpochLedger> epoch(long epoch, long nowMs) {
        if (!kept.containsKey(epoch)) {
            if (epoch <= forgottenUpTo) {
                return Optional.empty();
            }
            boolean closed = epoch < newestEpoch();
            kept.put(
                    epoch,
                    KeptEpoch.newBuilder()
                            .setEpoch((int) epoch)
                            .setClosedMs(closed ? nowMs : 0)
                            .build());
        }
        return Optional.of(load(epoch));
    }

    /** Takes up a new epoch and closes those before it, which are given back. */
    List<EpochLedger> open(long epoch, long nowMs) {
        var closed = new ArrayList<EpochLedger>();
        for (var entry : kept.entrySet()) {
            if (entry.getValue().getClosedMs() == 0) {
                entry.setValue(entry.getValue().toBuilder().setClosedMs(nowMs).build());
                closed.add(load(entry.getKey()));
            } else if (entry.getValue().getUnreportedHoles()) {
                closed.add(load(entry.getKey()));
            }
        }
        kept.put(epoch, KeptEpoch.newBuilder().setEpoch((int) epoch).build());
        return closed;
    }

    /** The kept epochs that have a hole which no marker names, oldest first. */
    List<EpochLedger> withUnreportedHoles() {
        var found = new ArrayList<EpochLedger>();
        for (var entry : kept.entrySet()) {
            EpochLedger ledger = loaded.get(entry.getKey());
            boolean has = ledger == null
                    ? entry.getValue().getUnreportedHoles()
                    : ledger.holes().hasUnreported();
            if (has) {
                found.add(load(entry.getKey()));
            }
        }
        return found;
    }

    /** Whether a newer epoch was seen than this one. */
    boolean isClosed(long epoch) {
        return epoch < newestEpoch();
    }

    /** Epochs that are to be given up now. */
    List<EpochLedger> expired(long nowMs) {
        var expired = new ArrayList<EpochLedger>();
        if (kept.size() <= 1) {
            return expired;
        }
        int committed = 0;
        int keeping = 0;
        for (var entry : kept.descendingMap().entrySet()) {
            KeptEpoch epoch = entry.getValue();
            boolean recent = epoch.getClosedMs() == 0 || nowMs - epoch.getClosedMs() < KEPT_CLOSED_MS;
            boolean wanted = recent || (epoch.getCommitted() && committed < KEPT_COMMITTED);
            if (epoch.getCommitted()) {
                committed++;
            }
            if (wanted && keeping < KEPT) {
                keeping++;
            } else {
                expired.add(load(entry.getKey()));
            }
        }
        return expired;
    }

    void forget(EpochLedger ledger) {
        ledger.hashes().dropAll();
        ledger.hashes().flush();
        store.deleteEpoch(ledger.epoch());
        kept.remove(ledger.epoch());
        loaded.remove(ledger.epoch());
        forgottenUpTo = Math.max(forgottenUpTo, ledger.epoch());
    }

    /** Writes what changed. */
    void flush() {
        for (EpochLedger ledger : loaded.values()) {
            KeptEpoch entry = kept.get(ledger.epoch());
            if (entry == null) {
                throw new IllegalStateException("a loaded epoch is kept");
            }
            kept.put(
                    ledger.epoch(),
                    entry.toBuilder()
                            .setCommitted(entry.getCommitted() || ledger.committed())
                            .setUnreportedHoles(ledger.holes().hasUnreported())
                            .build());
            if (ledger.changed()) {
                ledger.hashes().flush();
                store.putEpoch(ledger.epoch(), LedgerCodec.encode(ledger));
            }
        }
        SensorHead after = SensorHead.newBuilder()
                .setSessionId(sessionId)
                .setSessionStartedMs(sessionStartedMs)
                .setForgottenUpTo((int) forgottenUpTo)
                .addAllEpochs(kept.values())
                .build();
        if (!after.equals(before)) {
            store.putHead(after.toByteArray());
        }
    }

    private EpochLedger load(long epoch) {
        return loaded.computeIfAbsent(epoch, e -> LedgerCodec.decode(e, store.epoch(e), store));
    }
}
