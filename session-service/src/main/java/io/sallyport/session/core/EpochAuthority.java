package io.sallyport.session.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.SessionReport;
import java.util.concurrent.CompletionStage;

/** How a gateway node asks and informs the epoch authority. No call blocks; stages complete on any thread. */
public interface EpochAuthority {

    /**
     * Asks for an epoch. An ordinary resume may be decided by what this node knows; then the answer comes when that is
     * durably reported. Completes exceptionally with a {@link java.util.concurrent.TimeoutException} when there is no
     * answer within the claim timeout (4 s), and with the cause when the claim cannot be made durable.
     */
    CompletionStage<EpochAnswer> claim(SensorKey sensor, EpochClaim claim);

    /** Completes when the report is durable on all in-sync replicas. */
    CompletionStage<Void> report(SensorKey sensor, SessionReport report);

    /** The newest session id that this node knows of the sensor, its own sessions included; 0 = none. */
    long newestSessionId(SensorKey sensor);

    /** The sensor's epoch as this node knows it, the next one where that is to end; 0 = none. Older ones are closed. */
    long newestEpoch(SensorKey sensor);

    /** Calls {@code listener} on any thread each time the epoch table shows a change of a sensor. */
    void onChange(Listener listener);

    /** Learns what the epoch table says, so that a live session can give way to a newer one. */
    interface Listener {
        void changed(SensorKey sensor, long newestEpoch, long newestSessionId);
    }
}
