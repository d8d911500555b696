package io.sallyport.envelope.epoch;

import io.sallyport.proto.log.v1.EpochClaim;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A machine with a sensor, in a simulation of epochs. */
final class SimulatedMachine {
    Disk disk = new Disk();
    /** Reset, and not connected since. */
    boolean reset;

    @Nullable
    EpochClaim asking;

    @Nullable
    Session session;

    /** What a sensor keeps on its disk. */
    static final class Disk {
        @Nullable
        Long epoch;

        long nextSeq = 1;
        long watermark;
        long lastSessionId;
        final TreeMap<Long, Long> spool = new TreeMap<>();

        Disk copy() {
            var copy = new Disk();
            copy.epoch = epoch;
            copy.nextSeq = nextSeq;
            copy.watermark = watermark;
            copy.lastSessionId = lastSessionId;
            copy.spool.putAll(spool);
            return copy;
        }
    }

    /** A session on its node; it may outlive the machine's side of the connection. */
    static final class Session {
        final long id;
        final int node;
        final long epoch;
        final SimulatedMachine machine;
        long acked;
        final Set<Long> durable = new HashSet<>();
        boolean appendReported;

        Session(long id, int node, long epoch, SimulatedMachine machine, long acked) {
            this.id = id;
            this.node = node;
            this.epoch = epoch;
            this.machine = machine;
            this.acked = acked;
        }
    }
}
