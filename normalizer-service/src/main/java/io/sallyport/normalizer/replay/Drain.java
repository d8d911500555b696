package io.sallyport.normalizer.replay;

import io.sallyport.proto.log.v1.Takeover;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Whether the generation that is replaced may be stopped: when it has come past the fences. Up to a fence it still decides,
 * and at it it closes its last segment of the proof; stopped before, it leaves records behind that nothing proves, and the
 * export cannot keep.
 *
 * <p>Where its successor derived a shard completely, everything that the older one has not decided by then is void anyway.
 * So there it is not waited for without end: its stores may be what the bad build spoilt. Where the successor lacks raw
 * records, the older one's count up to the fence, and there is no other way than to wait. Not thread-safe.
 */
final class Drain {
    /** A shard in which the old generation has not committed anything for so long, and must not be needed, is left behind. */
    static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final List<Takeover> takeovers;
    private final long beganNanos;
    private final Map<Integer, Stand> stands = new HashMap<>();

    /** Where the older generation was in a shard, and since when: other shards go on whatever one of them does. */
    private record Stand(long committed, long sinceNanos) {}

    /** @param takeovers of all shards */
    Drain(List<Takeover> takeovers, long nowNanos) {
        this.takeovers = takeovers;
        this.beganNanos = nowNanos;
    }

    /**
     * Shards that are still to be waited for.
     *
     * @param committed next raw offset of the older generation, by shard
     */
    List<Integer> waitsFor(Map<Integer, Long> committed, long nowNanos) {
        committed.forEach((shard, offset) -> stands.merge(
                shard, new Stand(offset, nowNanos), (before, now) -> before.committed() == offset ? before : now));
        return takeovers.stream()
                .filter(takeover -> committed.getOrDefault(takeover.getShard(), 0L) <= takeover.getToOffset())
                .filter(takeover -> takeover.getIncomplete() || !standsStill(takeover.getShard(), nowNanos))
                .map(Takeover::getShard)
                .toList();
    }

    private boolean standsStill(int shard, long nowNanos) {
        Stand stand = stands.get(shard);
        return nowNanos - (stand == null ? beganNanos : stand.sinceNanos()) > STANDSTILL_NANOS;
    }
}
