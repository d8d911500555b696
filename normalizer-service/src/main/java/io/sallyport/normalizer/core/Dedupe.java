package io.sallyport.normalizer.core;

import io.sallyport.envelope.hash.ContentHash;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.Stamp;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * Decides raw records one by one (semantics, section 3). Nothing is remembered between two calls: everything a decision
 * rests on is read from the sensor's store, and written back to it before the effects are returned.
 *
 * <p>One instance belongs to one thread; the payloads in a decision are valid until the next one.
 */
public final class Dedupe implements AutoCloseable {
    private static final byte[] NO_BYTES = new byte[0];

    private final Limits limits;
    private final IntPredicate registered;
    private final ContentHash hashes = new ContentHash();
    private final RecordDecoder decoder = new RecordDecoder();

    /** @param registered whether an event type may stand in a batch; asked anew for every event */
    public Dedupe(Limits limits, IntPredicate registered) {
        this.limits = limits;
        this.registered = registered;
    }

    /** @param stores gives access to what is stored of a sensor */
    public Decision decide(RawRecord raw, Function<SensorKey, SensorStore> stores) {
        Decoded decoded = decoder.decode(raw);
        if (decoded instanceof Decoded.Batch batch) {
            return batch(batch, raw, new SensorLedger(stores.apply(batch.sensor())));
        }
        if (decoded instanceof Decoded.SkipRange skip) {
            return skip(skip, raw.appendMs(), new SensorLedger(stores.apply(skip.sensor())));
        }
        if (decoded instanceof Decoded.Opening opening) {
            return opening(opening, raw.appendMs(), new SensorLedger(stores.apply(opening.sensor())));
        }
        return undecodable((Decoded.Undecodable) decoded, raw, stores);
    }

    private Decision batch(Decoded.Batch batch, RawRecord raw, SensorLedger sensor) {
        var out = new Explanations(batch.sensor());
        byte[] body = raw.value() == null ? NO_BYTES : raw.value();
        long epoch = batch.header().epoch();
        boolean newest = enter(sensor, batch.stamp(), epoch, "", raw.appendMs(), out);
        Optional<EpochLedger> ledger = sensor.epoch(epoch, raw.appendMs());
        Decision.Tally tally = Decision.Tally.NONE;
        if (ledger.isPresent()) {
            passBase(ledger.get(), batch.stamp(), raw.appendMs(), out);
            var refused = new RefusedEvents(batch.header(), body, limits.maxOriginalBytes(), out);
            tally = new BatchDecision(batch, refused, ledger.get(), raw.appendMs(), out)
                    .run(hashes, registered, limits);
        } else {
            var seqs = new SeqRangeSet();
            var events = new EventCursor(batch.block(), batch.header().count());
            while (events.next()) {
                seqs.add(events.seq());
            }
            out.quarantine(epoch, seqs, Reason.LATE_EPOCH, "", Effect.Original.whole(body));
            out.mark(epoch, seqs.ranges(), Stage.STAGE_NORMALIZER, Reason.LATE_EPOCH, "");
        }
        return leave(sensor, ledger, newest, raw.appendMs(), out, tally);
    }

    private Decision skip(Decoded.SkipRange record, long nowMs, SensorLedger sensor) {
        var out = new Explanations(record.sensor());
        Skip skip = record.skip();
        boolean newest = enter(sensor, record.stamp(), skip.epoch(), "", nowMs, out);
        Optional<EpochLedger> ledger = sensor.epoch(skip.epoch(), nowMs);
        if (ledger.isPresent()) {
            passBase(ledger.get(), record.stamp(), nowMs, out);
            List<SeqRange> open = ledger.get().declare(skip.fromSeq(), skip.toSeq(), nowMs);
            out.mark(skip.epoch(), open, Stage.STAGE_SENSOR, Reason.SENSOR_SKIP, sensorsReason(skip.reason()));
        } else {
            var range = List.of(new SeqRange(skip.fromSeq(), skip.toSeq()));
            out.mark(skip.epoch(), range, Stage.STAGE_NORMALIZER, Reason.LATE_EPOCH, sensorsReason(skip.reason()));
        }
        return leave(sensor, ledger, newest, nowMs, out, Decision.Tally.NONE);
    }

    private Decision opening(Decoded.Opening record, long nowMs, SensorLedger sensor) {
        var out = new Explanations(record.sensor());
        EpochOpen open = record.open();
        long epoch = Integer.toUnsignedLong(open.getEpoch());
        var stamp = record.stamp().toBuilder().setVerdict(open.getVerdict()).build();
        if (sensor.isNew(epoch) && sensor.isKnown()) {
            // Acknowledged there, and so appended before this record: what was not seen until now is missing.
            long closing = sensor.newestEpoch();
            sensor.epoch(closing, nowMs).ifPresent(ledger -> ledger.openUpTo(open.getClosedWatermark(), nowMs));
        }
        boolean newest = enter(sensor, stamp, epoch, detailOf(open, sensor.newestEpoch()), nowMs, out);
        Optional<EpochLedger> ledger = sensor.epoch(epoch, nowMs);
        ledger.ifPresent(known -> passBase(known, stamp, nowMs, out));
        return leave(sensor, ledger, newest, nowMs, out, Decision.Tally.NONE);
    }

    private Decision undecodable(Decoded.Undecodable bad, RawRecord raw, Function<SensorKey, SensorStore> stores) {
        byte[] original = raw.value() == null ? NO_BYTES : raw.value();
        List<SeqRange> seqs = bad.seqs();
        if (bad.sensor().isPresent() && !seqs.isEmpty()) {
            var sensor = new SensorLedger(stores.apply(bad.sensor().get()));
            // It must not be what opens an epoch: the marker of that belongs to a record that can be read.
            Optional<EpochLedger> ledger =
                    sensor.isNew(bad.epoch()) ? Optional.empty() : sensor.epoch(bad.epoch(), raw.appendMs());
            if (ledger.isPresent()) {
                SeqRangeSet open = new SeqRangeSet();
                for (SeqRange range : seqs) {
                    ledger.get()
                            .declare(range.from(), range.to(), raw.appendMs())
                            .forEach(r -> open.add(r.from(), r.to()));
                }
                seqs = open.ranges();
                ledger.get().bound(limits);
                sensor.flush();
            }
        }
        return new Decision(
                List.of(
                        new Effect.Quarantine(
                                bad.sensor(),
                                bad.epoch(),
                                bad.seqs(),
                                Reason.UNDECODABLE,
                                bad.detail(),
                                Effect.Original.whole(original)),
                        new Effect.Mark(
                                bad.sensor(),
                                bad.epoch(),
                                seqs,
                                Explanations.count(seqs),
                                Stage.STAGE_NORMALIZER,
                                Reason.UNDECODABLE,
                                bad.detail())),
                Decision.Tally.NONE);
    }

    /** What every readable record does first; true where it belongs to the sensor's newest session. */
    private static boolean enter(
            SensorLedger sensor, Stamp stamp, long epoch, String detail, long nowMs, Explanations out) {
        for (EpochLedger expired : sensor.expired(nowMs)) {
            out.gap(expired.epoch(), expired.reportAll(), "renumbered");
            sensor.forget(expired);
        }
        boolean newest = sensor.enterSession(stamp.getSessionId(), nowMs);
        if (sensor.isNew(epoch)) {
            boolean known = sensor.isKnown();
            for (EpochLedger closed : sensor.open(epoch, nowMs)) {
                out.gap(closed.epoch(), closed.reportAll(), "renumbered");
            }
            markOpening(out, epoch, stamp.getVerdict(), known, detail);
        }
        return newest;
    }

    private static void markOpening(Explanations out, long epoch, EpochVerdict verdict, boolean known, String detail) {
        Reason reason = switch (verdict) {
            case NEW_EPOCH_ROLLBACK -> Reason.EPOCH_ROLLBACK;
            case DIVERGED -> Reason.EPOCH_DIVERGED;
            case NEW_EPOCH_FIRST -> known ? Reason.STATE_LOST : Reason.REASON_UNSPECIFIED;
            case RESUMED, UNRECOGNIZED -> Reason.REASON_UNSPECIFIED;
        };
        if (reason != Reason.REASON_UNSPECIFIED) {
            out.add(new Effect.Mark(
                    Optional.of(out.sensor()), epoch, List.of(), 0, Stage.STAGE_GATEWAY, reason, detail));
        }
    }

    /** The sensor has let go of everything at or below its session's base watermark. */
    private static void passBase(EpochLedger ledger, Stamp stamp, long nowMs, Explanations out) {
        long base = stamp.getSessionId() == 0 ? 0 : stamp.getBaseWatermark();
        out.gap(ledger.epoch(), ledger.finalizeUpTo(base, nowMs), "final: the session began at watermark " + base);
    }

    /** What every readable record does last. */
    private Decision leave(
            SensorLedger sensor,
            Optional<EpochLedger> ledger,
            boolean newestSession,
            long nowMs,
            Explanations out,
            Decision.Tally tally) {
        ledger.ifPresent(known ->
                out.gap(known.epoch(), known.bound(limits), "final: more than " + limits.maxRanges() + " ranges"));
        if (newestSession) {
            for (EpochLedger waiting : sensor.withUnreportedHoles()) {
                String detail = sensor.isClosed(waiting.epoch()) ? "renumbered" : "";
                out.gap(waiting.epoch(), waiting.reportDue(nowMs, sensor.sessionStartedMs(), limits), detail);
            }
        }
        sensor.flush();
        return new Decision(out.effects(), tally);
    }

    private static String detailOf(EpochOpen open, long closing) {
        String presented = open.hasPresentedEpoch()
                ? "presented epoch " + Integer.toUnsignedString(open.getPresentedEpoch()) + ", "
                : "";
        String closed = closing == 0 ? "" : "; epoch " + closing + " ended at " + open.getClosedWatermark();
        return presented + "next_seq " + Long.toUnsignedString(open.getNextSeq()) + closed;
    }

    private static String sensorsReason(int reason) {
        return switch (reason) {
            case Skip.REASON_EVICTED -> "evicted from the spool";
            case Skip.REASON_SPOOL_LOST -> "spool lost or unreadable";
            case Skip.REASON_REFUSED -> "refused by the gateway";
            case Skip.REASON_NEVER_USED -> "reserved and never used";
            default -> "reason " + reason;
        };
    }

    @Override
    public void close() {
        decoder.close();
    }
}
