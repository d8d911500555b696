package io.sallyport.normalizer.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A random sensor and its gateway: numbers events, sends them in priority order, resends them in other splits and
 * codecs, loses some between gateway and log, skips some, restarts, changes its epoch, meets a clone. Beside it stands a
 * model of what must come of it, with one entry per seq and no cleverness.
 */
final class RandomSensor {

    enum Trouble {
        /** Priority order, resends, restarts, reconnects: nothing is lost. */
        HONEST,
        ALL
    }

    private enum Fate {
        COMMITTED,
        DECLARED,
        FINAL
    }

    private record Id(long epoch, long seq) {}

    final Scenario scenario = new Scenario();
    private final long seed;
    private final Random random;
    private final Trouble trouble;
    private final Map<Id, Event> sent = new HashMap<>();
    private final Map<Id, Fate> fates = new HashMap<>();
    private final Map<Id, Event> expected = new HashMap<>();
    private final Map<Long, Long> tops = new TreeMap<>();
    /** Numbered and never sent, or lost on the way; the sensor still holds them. */
    private final TreeSet<Long> spool = new TreeSet<>();
    /** Sent and not acknowledged as far as the sensor knows. */
    private final Deque<Long> unacked = new ArrayDeque<>();

    private final Set<Id> refusedContent = new HashSet<>();
    private long nowMs = Scenario.T0;
    private long epoch = 1;
    private long nextSeq = 1;
    private long session = 1;
    private long base;
    private int expectedDuplicates;

    RandomSensor(long seed, Trouble trouble) {
        this.seed = seed;
        this.random = new Random(seed);
        this.trouble = trouble;
    }

    void live(int steps) {
        for (int step = 0; step < steps; step++) {
            nowMs += random.nextInt(trouble == Trouble.HONEST ? 2_000 : 30_000);
            scenario.raw.session(session, base).codec(random.nextInt(2));
            int what = random.nextInt(100);
            if (what < 55) {
                sendNew();
            } else if (what < 75) {
                resend();
            } else if (what < 80) {
                scenario.restart();
            } else if (what < 87) {
                reconnect();
            } else if (trouble == Trouble.ALL) {
                troubled(what);
            }
        }
        drainSpool();
    }

    private void troubled(int what) {
        if (what < 90) {
            skip();
        } else if (what < 93) {
            unregistered();
        } else if (what < 95) {
            collide();
        } else if (what < 97) {
            unreadable();
        } else {
            newEpoch();
        }
    }

    /** Numbers some events and sends a random part of what is in the spool, in random order. */
    private void sendNew() {
        int numbered = 1 + random.nextInt(20);
        for (int i = 0; i < numbered; i++) {
            spool.add(nextSeq++);
        }
        send(pick(0.8));
    }

    private List<Long> pick(double share) {
        var picked = new ArrayList<Long>();
        for (long seq : spool) {
            if (random.nextDouble() < share) {
                picked.add(seq);
            }
        }
        if (random.nextInt(3) == 0) {
            Collections.shuffle(picked, random);
        }
        return picked;
    }

    private void send(List<Long> seqs) {
        for (int from = 0; from < seqs.size(); ) {
            int to = Math.min(seqs.size(), from + 1 + random.nextInt(12));
            batch(seqs.subList(from, to));
            from = to;
        }
        spool.removeAll(seqs);
        unacked.addAll(seqs);
        while (unacked.size() > 500) {
            unacked.removeFirst();
        }
    }

    private void resend() {
        var again = new ArrayList<Long>();
        for (long seq : unacked) {
            if (random.nextInt(3) == 0) {
                again.add(seq);
            }
        }
        for (int from = 0; from < again.size(); ) {
            int to = Math.min(again.size(), from + 1 + random.nextInt(30));
            batch(again.subList(from, to));
            from = to;
        }
    }

    private void batch(List<Long> seqs) {
        if (seqs.isEmpty()) {
            return;
        }
        var events = new ArrayList<Event>();
        for (long seq : seqs) {
            events.add(sent.computeIfAbsent(
                    new Id(epoch, seq),
                    id -> Event.of(seq, "epoch " + epoch + " seq " + seq + " " + random.nextInt())));
        }
        scenario.feed(scenario.raw.batch(nowMs, epoch, events.toArray(Event[]::new)));
        events.forEach(this::expect);
    }

    private void expect(Event event) {
        var id = new Id(epoch, event.seq());
        seen(event.seq());
        Fate fate = fates.get(id);
        if (fate == Fate.COMMITTED) {
            if (expected.get(id).equals(event)) {
                expectedDuplicates++;
            } else {
                refusedContent.add(id);
            }
        } else if (fate == Fate.FINAL) {
            refusedContent.add(id);
        } else {
            fates.put(id, Fate.COMMITTED);
            expected.put(id, event);
        }
    }

    private void seen(long seq) {
        tops.merge(epoch, seq, Math::max);
    }

    private void skip() {
        List<Long> dropped = pick(0.2);
        if (dropped.isEmpty()) {
            return;
        }
        long from = dropped.get(0);
        long to = from;
        while (spool.contains(to + 1) && random.nextInt(4) != 0) {
            to++;
        }
        scenario.feed(scenario.raw.skip(nowMs, epoch, from, to, 1));
        for (long seq = from; seq <= to; seq++) {
            spool.remove(seq);
            fates.putIfAbsent(new Id(epoch, seq), Fate.DECLARED);
        }
        seen(to);
    }

    private void unregistered() {
        long seq = nextSeq++;
        Event event = Event.of(seq, "of a type nobody knows").type(40);
        scenario.feed(scenario.raw.batch(nowMs, epoch, event));
        fates.put(new Id(epoch, seq), Fate.DECLARED);
        seen(seq);
        if (random.nextBoolean()) {
            scenario.registered.add(40);
            byte[] kept = scenario.quarantined()
                    .get(scenario.quarantined().size() - 1)
                    .original()
                    .bytes();
            scenario.raw.session(0, 0);
            scenario.feed(scenario.raw.raw(nowMs, RawKind.BATCH, kept));
            scenario.registered.remove(40);
            fates.put(new Id(epoch, seq), Fate.COMMITTED);
            expected.put(new Id(epoch, seq), event);
        }
    }

    private void collide() {
        if (unacked.isEmpty()) {
            return;
        }
        long seq = unacked.peekLast();
        Event clone = Event.of(seq, "of a clone " + random.nextInt());
        scenario.feed(scenario.raw.batch(nowMs, epoch, clone));
        expect(clone);
    }

    /** Acknowledged by the gateway, and unreadable in the log. */
    private void unreadable() {
        byte[] body = scenario.raw.body(epoch, Event.of(nextSeq), Event.of(nextSeq + 1));
        nextSeq += 2;
        body[BatchHeader.BYTES] ^= 1;
        scenario.feed(scenario.raw.raw(nowMs, RawKind.BATCH, body));
    }

    private void reconnect() {
        session++;
        unacked.removeIf(seq -> random.nextInt(3) == 0 && seq < lowestUnsettled());
        base = Math.min(
                lowestUnsettled() - 1, unacked.stream().min(Long::compare).orElse(Long.MAX_VALUE) - 1);
        scenario.raw.session(session, base);
        for (long seq = 1; seq <= base; seq++) {
            fates.putIfAbsent(new Id(epoch, seq), Fate.FINAL);
        }
        if (base > 0) {
            seen(base);
        }
        drainSpool();
        // The first record of the session carries its base.
        spool.add(nextSeq++);
        drainSpool();
    }

    /** The gateway's watermark may stand above what the log can show: it acknowledged what became unreadable. */
    private long lowestUnsettled() {
        return spool.isEmpty() ? nextSeq : spool.first();
    }

    private void drainSpool() {
        scenario.raw.session(session, base);
        send(new ArrayList<>(spool));
    }

    private void newEpoch() {
        drainSpool();
        long closed = nextSeq - 1;
        if (closed > 0) {
            seen(closed);
        }
        session++;
        epoch++;
        base = 0;
        nextSeq = 1;
        unacked.clear();
        scenario.raw.session(session, 0);
        scenario.feed(scenario.raw.open(
                nowMs,
                EpochOpen.newBuilder()
                        .setEpoch((int) epoch)
                        .setVerdict(EpochVerdict.NEW_EPOCH_ROLLBACK)
                        .setClosedWatermark(closed)
                        .build()));
    }

    /** Lets every grace end. */
    void settle() {
        nowMs += 10_000_000;
        spool.add(nextSeq++);
        drainSpool();
        nowMs += 10_000_000;
        spool.add(nextSeq++);
        drainSpool();
    }

    void verify() {
        Map<Id, Event> committed = new HashMap<>();
        for (Effect.Commit commit : scenario.commits()) {
            var id = new Id(commit.admission().epoch(), commit.event().seq());
            Effect.Event event = commit.event();
            Event before = committed.put(
                    id,
                    new Event(
                            event.seq(),
                            event.eventTsUs(),
                            event.type(),
                            event.payload().array()));
            assertThat(before).as("seed %d: %s twice", seed, id).isNull();
        }
        assertThat(committed.keySet()).as("seed %d: committed", seed).isEqualTo(expected.keySet());
        expected.forEach((id, event) -> assertThat(text(committed.get(id)))
                .as("seed %d: content of %s", seed, id)
                .isEqualTo(text(event)));
        assertThat(scenario.duplicates).as("seed %d: duplicates", seed).isEqualTo(expectedDuplicates);
        Set<Id> quarantined = new HashSet<>();
        for (Effect.Quarantine refused : scenario.quarantined()) {
            refused.ranges().forEach(range -> each(refused.epoch(), range, quarantined::add));
        }
        assertThat(quarantined).as("seed %d: refused content", seed).containsAll(refusedContent);
        if (trouble == Trouble.ALL) {
            explained(committed.keySet());
        }
    }

    /** Each seq up to the highest is committed or named by a marker, and never both at the end. */
    private void explained(Set<Id> committed) {
        Set<Id> missing = new HashSet<>();
        for (Effect.Mark mark : scenario.marks()) {
            if (mark.reason() == Reason.GAP_CLOSED) {
                mark.ranges()
                        .forEach(range -> each(
                                mark.epoch(),
                                range,
                                id -> assertThat(missing.remove(id))
                                        .as("seed %d: closed without a gap: %s", seed, id)
                                        .isTrue()));
            } else if (mark.reason() != Reason.IDENTITY_COLLISION && mark.reason() != Reason.UNVERIFIABLE_RESEND) {
                mark.ranges()
                        .forEach(range -> each(
                                mark.epoch(),
                                range,
                                id -> assertThat(missing.add(id) || mark.reason() != Reason.GAP)
                                        .as("seed %d: a gap twice: %s", seed, id)
                                        .isTrue()));
            }
        }
        for (var top : tops.entrySet()) {
            for (long seq = 1; seq <= top.getValue(); seq++) {
                var id = new Id(top.getKey(), seq);
                assertThat(committed.contains(id) ^ missing.contains(id))
                        .as(
                                "seed %d: %s committed %s, explained %s",
                                seed, id, committed.contains(id), missing.contains(id))
                        .isTrue();
            }
        }
    }

    private static void each(long epoch, SeqRange range, java.util.function.Consumer<Id> action) {
        for (long seq = range.from(); seq <= range.to(); seq++) {
            action.accept(new Id(epoch, seq));
        }
    }

    private static String text(Event event) {
        return event.seq() + " " + event.type() + " " + event.tsUs() + " "
                + new String(event.payload(), StandardCharsets.UTF_8);
    }
}
