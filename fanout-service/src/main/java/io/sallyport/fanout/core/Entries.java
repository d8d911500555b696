package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.PlanChunk;
import io.sallyport.proto.log.v1.QueueEntry;
import java.util.ArrayList;
import java.util.List;

/** A plan's chunk as the queue entries of its sensors. The same chunk always gives the same entries. */
public final class Entries {
    /** A trace of more targets is one that nobody can read. */
    private static final int MAX_TRACED = 16;

    private Entries() {}

    public static List<QueueEntry> of(PlanChunk chunk) {
        QueueEntry shared = chunk.getEntry();
        var entries = new ArrayList<QueueEntry>(chunk.getSensorIdsCount());
        for (String sensorId : chunk.getSensorIdsList()) {
            entries.add(shared.toBuilder()
                    .setSensorId(sensorId)
                    .setDeliverAtUs(shared.getAcceptedAtUs()
                            + Jitter.offsetUs(shared.getMsgId(), sensorId, shared.getJitterWindowMs()))
                    .clearJitterWindowMs()
                    .setTraced(shared.getTraced() && chunk.getChunk() == 0 && entries.size() < MAX_TRACED)
                    .build());
        }
        return entries;
    }

    /** One cancellation per sensor, whether or not an entry of it was written before. */
    public static List<QueueEntry> cancelling(PlanChunk chunk, long cancelRevision) {
        QueueEntry shared = chunk.getEntry();
        var entries = new ArrayList<QueueEntry>(chunk.getSensorIdsCount());
        for (String sensorId : chunk.getSensorIdsList()) {
            entries.add(shared.toBuilder()
                    .setSensorId(sensorId)
                    .clearJitterWindowMs()
                    .clearTraced()
                    .setCancelRevision(cancelRevision)
                    .build());
        }
        return entries;
    }
}
