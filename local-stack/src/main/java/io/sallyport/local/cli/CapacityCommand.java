package io.sallyport.local.cli;

import io.sallyport.local.capacity.Load;
import io.sallyport.local.capacity.Prices;
import io.sallyport.local.capacity.Tier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "capacity",
        description = {
            "What a cell of a given size needs: rates, partitions, storage by tier and its monthly cost.",
            "Averages, before compression and without headroom; decimal units, 32 KB are 32000 bytes."
        })
final class CapacityCommand extends Action {
    private static final double MB = 1e6;
    private static final double TB = 1e12;

    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(names = "--sensors", paramLabel = "N", defaultValue = "100000", description = "(default: ${DEFAULT-VALUE})")
    private long sensors;

    @Option(
            names = "--events-per-day",
            paramLabel = "M",
            defaultValue = "10000",
            description = "of each sensor (default: ${DEFAULT-VALUE})")
    private double eventsPerDay;

    @Option(
            names = "--event-size",
            paramLabel = "BYTES",
            defaultValue = "32000",
            description = "on average (default: ${DEFAULT-VALUE})")
    private double eventBytes;

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "JSON with currency, log_gb_month and object_gb_month (default: an example, not an offer)")
    private @Nullable Path prices;

    @Override
    int execute() throws Exception {
        Load load;
        try {
            load = new Load(sensors, eventsPerDay, eventBytes);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
        Prices list = prices == null ? Prices.example() : Prices.read(prices);
        if (json.wanted()) {
            out().println(JSON.writeValueAsString(tree(load, list)));
            return DONE;
        }
        out().printf(
                        Locale.ROOT,
                        "%,.0f events/s, %,.0f MB/s, at least %d partitions of 25 MB/s: provision %d to %d%n",
                        load.eventsPerS(),
                        load.bytesPerS() / MB,
                        load.partitions(),
                        2 * load.partitions(),
                        3 * load.partitions());
        double total = 0;
        for (Tier tier : Tier.all()) {
            double cost = list.perMonth(tier, load);
            total += cost;
            out().printf(
                            Locale.ROOT,
                            "%-5s %6s  RF %d  %,12.1f TB  %s %s%n",
                            tier.name(),
                            tier.retention().toDays() > 1
                                    ? tier.retention().toDays() + " d"
                                    : tier.retention().toHours() + " h",
                            tier.replicas(),
                            tier.bytes(load) / TB,
                            tier.isPart() ? "" : "%,.0f %s a month,".formatted(cost, list.currency()),
                            tier.what());
        }
        out().printf(Locale.ROOT, "storage in all: %,.0f %s a month%n", total, list.currency());
        return DONE;
    }

    private static Map<String, Object> tree(Load load, Prices prices) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("events_per_s", load.eventsPerS());
        tree.put("mb_per_s", load.bytesPerS() / MB);
        tree.put("partitions", load.partitions());
        List<Map<String, Object>> tiers = new ArrayList<>();
        double total = 0;
        for (Tier tier : Tier.all()) {
            var each = new LinkedHashMap<String, Object>();
            each.put("tier", tier.name());
            each.put("retention_s", tier.retention().toSeconds());
            each.put("replicas", tier.replicas());
            each.put("tb", tier.bytes(load) / TB);
            each.put("cost_per_month", prices.perMonth(tier, load));
            total += prices.perMonth(tier, load);
            tiers.add(each);
        }
        tree.put("tiers", tiers);
        tree.put("currency", prices.currency());
        tree.put("cost_per_month", total);
        return tree;
    }
}
