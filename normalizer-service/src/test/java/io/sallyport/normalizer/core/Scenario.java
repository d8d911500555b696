package io.sallyport.normalizer.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.proto.log.v1.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Feeds raw records of one sensor to the decisions, and keeps what came out. */
final class Scenario {
    static final Limits LIMITS = new Limits(
            60_000,
            3_600_000,
            4_096,
            1_024,
            Topics.STRUCTURED.maxMessageBytes() - 4_096,
            Topics.QUARANTINE.maxMessageBytes() - 65_536);
    static final long T0 = 1_700_000_000_000L;

    final SensorKey sensor = new SensorKey("acme", "s-1");
    final RawRecords raw = new RawRecords(sensor);
    final MemoryStore store = new MemoryStore();
    final Set<Integer> registered = new TreeSet<>(List.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    final List<Effect> effects = new ArrayList<>();
    int duplicates;
    int stillDeclared;
    int skewed;
    private final Limits limits;
    private Dedupe dedupe;

    Scenario() {
        this(LIMITS);
    }

    Scenario(Limits limits) {
        this.limits = limits;
        this.dedupe = new Dedupe(limits, registered::contains);
    }

    /** A restart: nothing but the store is left. */
    void restart() {
        dedupe.close();
        dedupe = new Dedupe(limits, registered::contains);
    }

    /** Decides one record; payloads are copied out, as the next decision may reuse their buffer. */
    List<Effect> feed(RawRecord record) {
        Decision decision = dedupe.decide(record, key -> store);
        var copied = new ArrayList<Effect>();
        for (Effect effect : decision.effects()) {
            copied.add(effect instanceof Effect.Commit commit ? copy(commit) : effect);
        }
        effects.addAll(copied);
        duplicates += decision.tally().duplicates();
        stillDeclared += decision.tally().stillDeclared();
        skewed += decision.tally().skewed();
        return copied;
    }

    private static Effect copy(Effect.Commit commit) {
        Effect.Event event = commit.event();
        var payload = new byte[event.payload().remaining()];
        event.payload().duplicate().get(payload);
        return new Effect.Commit(
                commit.admission(),
                commit.index(),
                new Effect.Event(
                        event.seq(),
                        event.type(),
                        event.payloadSchema(),
                        event.eventTsUs(),
                        java.nio.ByteBuffer.wrap(payload),
                        event.payloadSha256()),
                commit.clockSkew());
    }

    List<Long> committed() {
        return committed(1);
    }

    List<Long> committed(long epoch) {
        return commits().stream()
                .filter(commit -> commit.admission().epoch() == epoch)
                .map(commit -> commit.event().seq())
                .toList();
    }

    List<Effect.Commit> commits() {
        return of(Effect.Commit.class);
    }

    List<Effect.Mark> marks() {
        return of(Effect.Mark.class);
    }

    List<Effect.Mark> marks(Reason reason) {
        return marks().stream().filter(mark -> mark.reason() == reason).toList();
    }

    List<Effect.Quarantine> quarantined() {
        return of(Effect.Quarantine.class);
    }

    /** The markers in short: {@code GAP 1: 12-14}. */
    List<String> markers() {
        return marks().stream().map(Scenario::text).toList();
    }

    static String text(Effect.Mark mark) {
        var ranges = mark.ranges().stream().map(SeqRange::toString).toList();
        return mark.reason() + " " + mark.epoch() + ": " + String.join(",", ranges);
    }

    private <E extends Effect> List<E> of(Class<E> type) {
        return effects.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
