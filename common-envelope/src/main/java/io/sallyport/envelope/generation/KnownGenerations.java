package io.sallyport.envelope.generation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Takeover;
import java.util.List;
import java.util.Optional;

/**
 * What the topic `generations` says, as readers of `structured` need it. It may be out of date, and what it says then still
 * holds: a takeover stays, and what has ended does not begin again, since no number is given twice. Immutable.
 */
public final class KnownGenerations {
    /** Where nothing stands in the topic: the first generation serves, and no other was ever begun. */
    public static final KnownGenerations FIRST = new KnownGenerations(Generations.getDefaultInstance());

    private final Generations generations;

    private KnownGenerations(Generations generations) {
        this.generations = generations;
    }

    /** Reads a value of the topic; empty where it is none, or says what cannot be. */
    public static Optional<KnownGenerations> parse(byte[] value) {
        try {
            Generations generations = Generations.parseFrom(value);
            generations.getTakeoversList().forEach(ShardTakeover::of);
            return Optional.of(new KnownGenerations(generations));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Grows by one with each change; 0 where nothing stands in the topic. */
    public long revision() {
        return generations.getRevision();
    }

    /** Takeovers of a shard, in their order. */
    public List<ShardTakeover> takeovers(int shard) {
        return records(shard).stream().map(ShardTakeover::of).toList();
    }

    /** The same, with all that is said of them. */
    public List<Takeover> records(int shard) {
        return generations.getTakeoversList().stream()
                .filter(takeover -> takeover.getShard() == shard)
                .toList();
    }

    /** Which records of a shard are current. */
    public CurrentRecords current(int shard) {
        return new CurrentRecords(takeovers(shard));
    }

    /**
     * Whether a generation was ever begun. Its number is given before anything of it is written.
     *
     * @param generation u32
     */
    public boolean hasBegun(long generation) {
        return generation <= Integer.toUnsignedLong(generations.getHighest())
                || generation == Integer.toUnsignedLong(generations.getLive());
    }

    /**
     * Whether a generation was replaced or given up: whatever runs it was told to stop, and it does not begin again.
     *
     * @param generation u32
     */
    public boolean hasEnded(long generation) {
        boolean live = generation == Integer.toUnsignedLong(generations.getLive());
        boolean onItsWay = generations.hasReplay()
                && generation == Integer.toUnsignedLong(generations.getReplay().getGeneration());
        return generation <= Integer.toUnsignedLong(generations.getHighest()) && !live && !onItsWay;
    }
}
