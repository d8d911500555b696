package io.sallyport.local.cli;

import io.sallyport.export.verify.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A verdict for programs. */
final class VerdictJson {
    private VerdictJson() {}

    static Map<String, Object> of(Verdict verdict) {
        var result = new LinkedHashMap<String, Object>();
        if (verdict instanceof Verdict.Verified verified) {
            result.put("verdict", "verified");
            result.put("shards", shards(verified.shards()));
            result.put("notes", verified.notes());
        } else if (verdict instanceof Verdict.Unanchored unanchored) {
            result.put("verdict", "unanchored");
            result.put("why", unanchored.why());
            result.put("shards", shards(unanchored.shards()));
            result.put("notes", unanchored.notes());
        } else if (verdict instanceof Verdict.Tampered tampered) {
            result.put("verdict", "tampered");
            result.put("why", tampered.why());
            result.put("shard", tampered.shard());
            result.put("segment", tampered.segment());
            result.put("identity", tampered.identity());
        }
        return result;
    }

    private static List<Map<String, Object>> shards(List<Verdict.ShardReport> reports) {
        return reports.stream()
                .map(report -> {
                    var shard = new LinkedHashMap<String, Object>();
                    shard.put("shard", report.shard());
                    shard.put("generation", report.generation());
                    shard.put("segments", report.segments());
                    shard.put("verified_from", report.fromPos());
                    shard.put("verified_to", report.toPos());
                    shard.put("uncovered", report.uncovered());
                    return (Map<String, Object>) shard;
                })
                .toList();
    }
}
