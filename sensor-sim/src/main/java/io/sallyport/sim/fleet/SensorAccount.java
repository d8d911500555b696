package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.SensorCore;

/** What the fleet's report and its listeners are told of one sensor. Belongs to the sensor's loop. */
final class SensorAccount {
    private static final int MAX_UNAUTHENTICATED = 3;

    private final SensorKey key;
    private final FleetLoop loop;
    private long skippedSeen;
    private boolean connected;
    private boolean connectedOnce;
    private int unauthenticated;

    /**
     * @param core as it was recovered
     * @param base where the run began: what earlier processes did in the same run counts, since the report is about the run
     */
    SensorAccount(SensorKey key, FleetLoop loop, SensorCore core, FleetRun.Base base) {
        this.key = key;
        this.loop = loop;
        long acked = core.state().acked() - base.acked();
        loop.counters().sent.add(acked);
        loop.counters().acked.add(acked);
        skippedSeen = base.skipped();
        skipped(core.skipped());
    }

    /** Whether it ever had a session. */
    boolean hasConnected() {
        return connectedOnce;
    }

    void accepted(Accept accept) {
        connected = true;
        unauthenticated = 0;
        loop.counters().connected.incrementAndGet();
        loop.sessions().accepted(key, accept);
        if (connectedOnce) {
            loop.counters().reconnects.increment();
        } else {
            connectedOnce = true;
            loop.sensorConnected();
        }
        loop.log().debug("{}: accepted, epoch {} {}", key, accept.getEpoch(), accept.getVerdict());
    }

    /** The connection is gone, whether or not it had a session. */
    void disconnected() {
        if (connected) {
            connected = false;
            loop.counters().connected.decrementAndGet();
            loop.sessions().ended(key);
        }
    }

    void refused(Reject reject) {
        loop.log().debug("{}: {} {}", key, reject.getCode(), reject.hasBatchId() ? "batch" : "session");
        if (reject.hasBatchId()) {
            return;
        }
        loop.counters().refused(reject.getCode());
        loop.sessions().refused(key, reject);
        if (SensorCore.isFinal(reject)) {
            loop.failed(key + " was refused: " + reject.getCode() + printable(reject.getDetail()));
        } else if (reject.getCode() == RejectCode.UNAUTHENTICATED && ++unauthenticated >= MAX_UNAUTHENTICATED) {
            loop.failed(key + " was refused three times: UNAUTHENTICATED" + printable(reject.getDetail()));
        }
    }

    /** A batch went out. */
    void sent(int bytes, int firstSends) {
        loop.counters().batches.increment();
        loop.counters().bytes.add(bytes);
        loop.counters().sent.add(Math.max(0, firstSends));
    }

    void acked(Effect.Acked acked) {
        loop.counters().acked.add(acked.events());
        loop.counters().sent.add(acked.events() - acked.firstSentUs().length);
        long nowUs = loop.nowUs();
        for (long sentUs : acked.firstSentUs()) {
            loop.counters().ackLatency(nowUs - sentUs);
        }
    }

    /** @param all that the sensor has skipped so far */
    void skipped(long all) {
        if (all != skippedSeen) {
            loop.counters().skipped.add(all - skippedSeen);
            skippedSeen = all;
        }
    }

    void taken(Effect.Taken taken) {
        MessageListener.Outcome outcome = taken.repeat()
                ? MessageListener.Outcome.REPEATED
                : taken.applied() ? MessageListener.Outcome.APPLIED : MessageListener.Outcome.REFUSED;
        loop.counters().message(outcome);
        loop.messages().taken(key, taken.message(), outcome);
    }

    private static String printable(String detail) {
        return detail.isEmpty() ? "" : " (" + detail.replaceAll("[^\\x20-\\x7E]", "?") + ")";
    }
}
