package io.sallyport.sim.core;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.proto.link.v1.Reject;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides which BATCH or SKIP goes out next, and what a refusal of one means. */
final class Sender {
    /** Where the gateway gives no delay of its own. */
    private static final long RETRY_MS = 250;

    private final SensorSettings settings;
    private final SpoolLedger spool;
    private final InFlight inFlight = new InFlight();
    private final SkipPlanner skips = new SkipPlanner();
    private @Nullable BatchPlanner planner;
    private int nextBatchId = 1;

    Sender(SensorSettings settings, SpoolLedger spool) {
        this.settings = settings;
        this.spool = spool;
    }

    /** The index may be another one since: with a new epoch all starts anew. */
    void sessionStarted(long acceptWatermark) {
        planner = new BatchPlanner(spool.index(), settings.prioritySplit());
        inFlight.clear();
        skips.sessionStarted(acceptWatermark);
    }

    /** The lowest {@code count} numbers left the index. */
    void trimmed(int count) {
        if (planner != null) {
            planner.trimmed(count);
        }
    }

    void settledUpTo(long watermark) {
        inFlight.settledUpTo(watermark);
        skips.settledUpTo(watermark);
    }

    boolean next(Session session, long nowUs, List<Effect> out) {
        Skip skip = skips.next(spool.epoch(), spool.index(), inFlight.hasLastTries(), nowUs);
        if (skip != null) {
            sendingIn(session, out);
            out.add(new Effect.SendSkip(skip));
            return true;
        }
        if (session.isPaused(nowUs)) {
            return false;
        }
        // After ACK_WINDOW_EXCEEDED one batch at a time, each until the ACK moves, or its refusal, or the resend timer.
        return !(session.isWindowExceeded() && !inFlight.isEmpty()) && nextBatch(session, nowUs, out);
    }

    private boolean nextBatch(Session session, long nowUs, List<Effect> out) {
        for (var group = inFlight.nextRefused(); group != null; group = inFlight.nextRefused()) {
            long[] seqs = stillHeld(group.seqs());
            if (seqs.length > 0) {
                batch(session, seqs, blockBytes(seqs), flagsOf(seqs[0]), 0, group.refusals(), nowUs, out);
                return true;
            }
        }
        return planned(session, nowUs, session.isWindowExceeded(), out);
    }

    private boolean planned(Session session, long nowUs, boolean ascending, List<Effect> out) {
        if (planner == null) {
            return false;
        }
        int codec = session.codec();
        while (true) {
            BatchPlanner.Plan plan = ascending
                    ? planner.nextAscending(session.limits(), codec, nowUs)
                    : planner.next(session.limits(), codec, nowUs);
            if (plan.seqs().length == 0) {
                return false;
            }
            if (plan.blockBytes() <= session.limits().maxBlockBytes(codec)) {
                batch(session, plan.seqs(), plan.blockBytes(), plan.flags(), plan.firstSends(), 0, nowUs, out);
                return true;
            }
            // One event that no frame of this session can carry: the gateway could only refuse it.
            spool.drop(plan.seqs()[0], plan.seqs()[0], Skip.REASON_REFUSED, out);
        }
    }

    private void batch(
            Session session,
            long[] seqs,
            int blockBytes,
            int flags,
            int firstSends,
            int refusals,
            long nowUs,
            List<Effect> out) {
        sendingIn(session, out);
        int batchId = nextBatchId++;
        inFlight.sent(batchId, seqs, refusals, nowUs);
        out.add(new Effect.Batch(batchId, spool.epoch(), session.codec(), flags, seqs, blockBytes, firstSends));
    }

    private void sendingIn(Session session, List<Effect> out) {
        if (session.sendsFirst()) {
            spool.sentIn(session.sessionId(), out);
        }
    }

    /** These events could not be read and are not in that batch. */
    void withdraw(int batchId, long[] unreadable) {
        InFlight.Sent sent = inFlight.take(batchId);
        if (sent == null) {
            return;
        }
        long[] rest = Arrays.stream(sent.seqs())
                .filter(seq -> Arrays.stream(unreadable).noneMatch(bad -> bad == seq))
                .toArray();
        if (rest.length > 0) {
            inFlight.sent(batchId, rest, sent.refusals(), sent.sentUs());
        }
    }

    /** What a REJECT of one batch means (sensor link, sections 4 and 6). */
    void refused(Session session, Reject reject, long nowUs, List<Effect> out) {
        InFlight.Sent batch = inFlight.take(reject.getBatchId());
        if (batch == null) {
            return;
        }
        long retryAfterMs = Integer.toUnsignedLong(reject.getRetryAfterMs());
        switch (reject.getCode()) {
            case UNSUPPORTED_CODEC -> {
                session.useCodec(BatchHeader.CODEC_NONE);
                contentRefused(batch, nowUs, out);
            }
            case BATCH_CORRUPT, BATCH_TOO_LARGE, BATCH_MALFORMED -> contentRefused(batch, nowUs, out);
            case ACK_WINDOW_EXCEEDED -> {
                session.windowExceeded(nowUs);
                resend(batch.seqs());
                inFlight.takeAll().forEach(this::resend);
            }
            default -> {
                session.retryAfter(retryAfterMs == 0 ? RETRY_MS : retryAfterMs, nowUs);
                resend(batch);
            }
        }
    }

    private void contentRefused(InFlight.Sent batch, long nowUs, List<Effect> out) {
        for (SeqRange givenUp : inFlight.refused(batch)) {
            skips.refused(nowUs);
            spool.drop(givenUp.from(), givenUp.to(), Skip.REASON_REFUSED, out);
        }
    }

    /** Whatever stays unacknowledged for too long is sent again. */
    void resendOverdue(long nowUs) {
        long thatUs = nowUs - settings.resendAfterMs() * 1_000L;
        inFlight.takeOlderThan(thatUs).forEach(this::resend);
        skips.resendOlderThan(thatUs, spool.index(), spool.watermark());
    }

    private void resend(InFlight.Sent batch) {
        if (batch.refusals() > 0) {
            inFlight.retry(batch);
        } else {
            resend(batch.seqs());
        }
    }

    private void resend(long[] seqs) {
        for (long seq : seqs) {
            int offset = spool.index().offsetOf(seq);
            if (offset >= 0) {
                spool.index().markResend(offset);
                if (planner != null) {
                    planner.rewind(offset);
                }
            }
        }
    }

    private long[] stillHeld(long[] seqs) {
        return Arrays.stream(seqs)
                .filter(seq -> {
                    int offset = spool.index().offsetOf(seq);
                    return offset >= 0 && spool.index().isHeld(offset);
                })
                .toArray();
    }

    private int blockBytes(long[] seqs) {
        int bytes = 0;
        for (long seq : seqs) {
            bytes += EventCursor.HEADER_BYTES
                    + spool.index().payloadBytes(spool.index().offsetOf(seq));
        }
        return bytes;
    }

    private int flagsOf(long seq) {
        int offset = spool.index().offsetOf(seq);
        return BatchHeader.FLAG_REPLAY | (spool.index().isRenumbered(offset) ? BatchHeader.FLAG_RENUMBERED : 0);
    }

    @Override
    public String toString() {
        return inFlight.toString();
    }
}
