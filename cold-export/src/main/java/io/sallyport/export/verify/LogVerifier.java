package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.export.checkpoint.Trim;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Checks a whole cell, shard by shard: every record is the leaf that its segment has, every segment is in its tree, and
 * every tree passes through the pinned checkpoint and the newest one. Exit codes and what is claimed: semantics, section 10.
 */
public final class LogVerifier {
    private final String cell;
    private final Anchors anchors;
    private final Function<TreeKey, Optional<Trim>> trims;
    private final TreeHash hash = new TreeHash();
    /** Trees whose first segments are gone, in words. */
    private final List<String> lost = new ArrayList<>();

    /**
     * The shards to check.
     *
     * @param segments of one shard in the order of the log
     * @param records of one shard in the order of the log
     */
    public record Shard(int number, Iterator<ProofSegment> segments, Iterator<StructuredRecord> records) {}

    /**
     * @param pin key and checkpoint from outside; without them nothing is anchored
     * @param newest the newest checkpoint of the store, whose signature was checked with the pin's key
     * @param trims signed statements on what retention took
     */
    public LogVerifier(
            String cell, Optional<Pin> pin, Optional<Checkpoint> newest, Function<TreeKey, Optional<Trim>> trims) {
        this.cell = cell;
        this.anchors = new Anchors(pin, newest);
        this.trims = trims;
    }

    public Verdict verify(Iterable<Shard> shards) {
        try {
            if (anchors.pin().isPresent() && anchors.newest().isEmpty()) {
                throw Anchors.store("the log has no checkpoint that the pinned key signed");
            }
            anchors.check();
            var reports = new ArrayList<Verdict.ShardReport>();
            Set<TreeKey> seen = new HashSet<>();
            for (Shard shard : shards) {
                reports.addAll(check(shard, seen));
            }
            for (Checkpoint checkpoint : anchors.checkpoints()) {
                for (TreeKey tree : checkpoint.trees().keySet()) {
                    if (!seen.contains(tree) && trims.apply(tree).isPresent()) {
                        lost.add(name(tree) + ": all segments");
                        seen.add(tree);
                    } else if (!seen.contains(tree)) {
                        throw new TamperedException(new Verdict.Tampered(
                                tree.shard(),
                                0,
                                "the record at pos 0",
                                "expected " + checkpoint.trees().get(tree).size() + " segments of generation "
                                        + tree.generation() + ", found 0"));
                    }
                }
            }
            if (anchors.pin().isEmpty()) {
                return new Verdict.Unanchored(reports, "no checkpoint from outside was given");
            }
            return lost.isEmpty()
                    ? new Verdict.Verified(reports)
                    : new Verdict.Unanchored(
                            reports,
                            "the log alone does not reach the pin any more; the export does. Gone are, of "
                                    + String.join("; ", lost));
        } catch (TamperedException e) {
            return e.verdict();
        } catch (UnreadableRecordException e) {
            return new Verdict.Tampered(e.shard(), -1, e.where(), String.valueOf(e.getMessage()));
        }
    }

    private List<Verdict.ShardReport> check(Shard shard, Set<TreeKey> seen) throws TamperedException {
        Map<Integer, TreeVerifier> generations = new TreeMap<>();
        while (shard.records().hasNext()) {
            StructuredRecord record = shard.records().next();
            if (!record.hasEvent() && !record.hasMarker() && !record.hasGeneration()) {
                throw new TamperedException(new Verdict.Tampered(
                        shard.number(), -1, "a record of no known kind", "a record of no known kind"));
            }
            var origin = TreeVerifier.origin(record);
            if (origin.getShard() != shard.number()) {
                throw new TamperedException(new Verdict.Tampered(
                        shard.number(),
                        -1,
                        TreeVerifier.identity(record),
                        "a record of shard " + Integer.toUnsignedString(origin.getShard())));
            }
            TreeVerifier verifier = generation(shard, generations, origin.getGeneration(), seen);
            verifier.awaits(record);
            while (verifier.coveredTo() <= origin.getPos() && shard.segments().hasNext()) {
                take(shard, generations, seen, true);
            }
            verifier.record(record);
        }
        while (shard.segments().hasNext()) {
            take(shard, generations, seen, false);
        }
        var reports = new ArrayList<Verdict.ShardReport>();
        for (TreeVerifier verifier : generations.values()) {
            reports.add(verifier.finish());
            if (verifier.lostSegments() > 0) {
                lost.add(name(verifier.key()) + ": its first " + verifier.lostSegments() + " segments");
            }
        }
        return reports;
    }

    private void take(Shard shard, Map<Integer, TreeVerifier> generations, Set<TreeKey> seen, boolean recordsCome)
            throws TamperedException {
        ProofSegment segment = shard.segments().next();
        generation(shard, generations, segment.getGeneration(), seen).segment(segment, recordsCome);
    }

    private static String name(TreeKey tree) {
        return "shard " + Integer.toUnsignedString(tree.shard()) + " generation "
                + Integer.toUnsignedString(tree.generation());
    }

    private TreeVerifier generation(
            Shard shard, Map<Integer, TreeVerifier> generations, int generation, Set<TreeKey> seen)
            throws TamperedException {
        TreeVerifier verifier = generations.get(generation);
        if (verifier == null) {
            var key = new TreeKey(cell, shard.number(), generation);
            verifier = new TreeVerifier(key, hash, anchors, trims.apply(key));
            generations.put(generation, verifier);
            seen.add(key);
        }
        return verifier;
    }
}
