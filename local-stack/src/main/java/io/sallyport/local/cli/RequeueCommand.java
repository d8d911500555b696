package io.sallyport.local.cli;

import io.sallyport.normalizer.requeue.Requeue;
import io.sallyport.normalizer.requeue.RequeueFilter;
import io.sallyport.normalizer.requeue.RequeueReport;
import io.sallyport.proto.log.v1.Reason;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "requeue",
        description = {
            "Puts quarantined content back in after its cause is fixed, for instance events of a type that was added"
                    + " meanwhile.",
            "Doing it twice does no harm: what is in the log already stays there once."
        })
final class RequeueCommand extends KafkaCommand {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            description = "only content of this customer")
    private @Nullable String customer;

    @Option(
            names = "--sensor",
            paramLabel = "S",
            converter = Values.Id.class,
            description = "only content of sensors with this id")
    private @Nullable String sensor;

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            split = ",",
            description = "only what was refused for it: UNREGISTERED_TYPE, UNDECODABLE or EVENT_OVERSIZE"
                    + " (default: the first two)")
    private List<Reason> reasons = List.of();

    @Option(names = "--partition", paramLabel = "P", description = "only this partition of quarantine")
    private @Nullable Integer partition;

    @Option(
            names = "--from-offset",
            paramLabel = "N",
            defaultValue = "0",
            description = "lowest offset, inclusive (default: ${DEFAULT-VALUE})")
    private long fromOffset;

    @Option(names = "--to-offset", paramLabel = "N", description = "highest offset, inclusive (default: the newest)")
    private @Nullable Long toOffset;

    @Override
    int execute() throws Exception {
        RequeueFilter filter = filter();
        try (var requeue = new Requeue(kafka())) {
            RequeueReport report = requeue.run(filter);
            if (json.wanted()) {
                var result = new LinkedHashMap<String, Long>();
                result.put("matched", report.matched());
                result.put("requeued", report.requeued());
                result.put("lacking", report.lacking());
                out().println(JSON.writeValueAsString(result));
            } else {
                out().printf(
                                "%d of %d quarantined records put back, %d lack what that needs%n",
                                report.requeued(), report.matched(), report.lacking());
            }
            return DONE;
        }
    }

    private RequeueFilter filter() {
        try {
            return new RequeueFilter(
                    Optional.ofNullable(customer),
                    Optional.ofNullable(sensor),
                    reasons.isEmpty() ? RequeueFilter.ALL.reasons() : EnumSet.copyOf(reasons),
                    partition == null ? OptionalInt.empty() : OptionalInt.of(partition),
                    fromOffset,
                    toOffset == null ? Long.MAX_VALUE : toOffset);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }
}
