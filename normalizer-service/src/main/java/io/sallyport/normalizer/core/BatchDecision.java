package io.sallyport.normalizer.core;

import io.sallyport.envelope.hash.ContentHash;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.watermark.SeqRangeSet;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Decides the events of one batch in block order: the table of semantics, section 3. */
final class BatchDecision {
    private static final HexFormat HEX = HexFormat.of();

    private final Decoded.Batch batch;
    private final EpochLedger ledger;
    private final long nowMs;
    private final Explanations out;
    private final RefusedEvents refused;
    private final Effect.Admission admission;
    private final BitSet dropped = new BitSet();
    private final SeqRangeSet closed = new SeqRangeSet();
    private int duplicates;
    private int stillDeclared;
    private int skewed;

    BatchDecision(Decoded.Batch batch, RefusedEvents refused, EpochLedger ledger, long nowMs, Explanations out) {
        this.batch = batch;
        this.refused = refused;
        this.ledger = ledger;
        this.nowMs = nowMs;
        this.out = out;
        this.admission = new Effect.Admission(
                batch.sensor(),
                batch.header().epoch(),
                batch.stamp().getIngestTsUs(),
                batch.header().isReplay(),
                batch.header().isRenumbered());
        batch.stamp().getDroppedIndexesList().forEach(dropped::set);
    }

    Decision.Tally run(ContentHash hashes, IntPredicate registered, Limits limits) {
        var event = new EventCursor(batch.block(), batch.header().count());
        while (event.next()) {
            if (ledger.isOpen(event.seq())) {
                Refusal refusal = refusalOf(event, registered, limits);
                if (refusal == null) {
                    byte[] digest = hashes.payloadDigest(event.payload());
                    if (ledger.commitOpen(event.seq(), hash(event, hashes, digest), nowMs)
                            == EpochLedger.Commit.CLOSES_GAP) {
                        closed.add(event.seq());
                    }
                    commit(event, digest);
                } else {
                    ledger.declare(event.seq(), event.seq(), nowMs);
                    refused.add(refusal, event);
                }
            } else if (ledger.isDeclared(event.seq())) {
                if (refusalOf(event, registered, limits) == null) {
                    byte[] digest = hashes.payloadDigest(event.payload());
                    ledger.commitDeclared(event.seq(), hash(event, hashes, digest));
                    closed.add(event.seq());
                    commit(event, digest);
                } else {
                    stillDeclared++;
                }
            } else {
                compare(event, hashes);
            }
        }
        refused.finish();
        out.mark(ledger.epoch(), closed.ranges(), Stage.STAGE_NORMALIZER, Reason.GAP_CLOSED, "");
        return new Decision.Tally(duplicates, stillDeclared, skewed);
    }

    private void compare(EventCursor event, ContentHash hashes) {
        OptionalLong known = ledger.hashOf(event.seq());
        if (known.isEmpty()) {
            refused.add(Refusal.UNVERIFIABLE, event);
            return;
        }
        long hash = hash(event, hashes, hashes.payloadDigest(event.payload()));
        if (hash == known.getAsLong()) {
            duplicates++;
        } else {
            refused.addAlone(
                    Refusal.COLLISION,
                    event,
                    "kept " + HEX.toHexDigits(known.getAsLong()) + ", refused " + HEX.toHexDigits(hash));
        }
    }

    private void commit(EventCursor event, byte[] payloadSha256) {
        boolean skew = !admission.replay() && isSkewed(event.eventTsUs(), admission.ingestTsUs());
        if (skew) {
            skewed++;
        }
        out.add(new Effect.Commit(
                admission,
                event.index(),
                new Effect.Event(
                        event.seq(),
                        event.eventType(),
                        event.payloadSchema(),
                        event.eventTsUs(),
                        event.payload(),
                        payloadSha256),
                skew));
    }

    private @Nullable Refusal refusalOf(EventCursor event, IntPredicate registered, Limits limits) {
        if (event.payloadLength() == 0) {
            return Refusal.UNDERSIZE;
        }
        if (dropped.get(event.index())) {
            return Refusal.OVERSIZE;
        }
        if (event.payloadLength() > limits.maxEventBytes()) {
            return Refusal.TOO_LARGE;
        }
        return registered.test(event.eventType()) ? null : Refusal.UNREGISTERED;
    }

    private static long hash(EventCursor event, ContentHash hashes, byte[] payloadSha256) {
        return hashes.of(event.eventType(), event.payloadSchema(), event.eventTsUs(), payloadSha256);
    }

    /** Far apart, however extreme either is. */
    private static boolean isSkewed(long eventTsUs, long ingestTsUs) {
        long distance = eventTsUs - ingestTsUs;
        boolean overflow = ((eventTsUs ^ ingestTsUs) & (eventTsUs ^ distance)) < 0;
        return overflow || distance > Limits.MAX_CLOCK_SKEW_US || distance < -Limits.MAX_CLOCK_SKEW_US;
    }
}
