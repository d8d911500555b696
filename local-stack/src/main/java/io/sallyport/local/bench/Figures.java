package io.sallyport.local.bench;

import io.sallyport.local.stack.ProcessStack;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** How benchmarks put figures into their results. */
final class Figures {
    private Figures() {}

    static double round(double value) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.2f", value));
    }

    /** Adds p50, p99 and the count of latencies. */
    static void latency(Map<String, Object> result, String name, Histogram us) {
        result.put(name + "_p50_ms", round(us.getValueAtPercentile(50) / 1e3));
        result.put(name + "_p99_ms", round(us.getValueAtPercentile(99) / 1e3));
        result.put(name + "_events", us.getTotalCount());
    }

    /** What everything was measured on. */
    static Map<String, Object> conditions() {
        Map<String, Object> conditions = machine();
        // Above the number of processors, others than these processes worked too.
        conditions.put(
                "load_average_at_the_end",
                round(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        conditions.put("listener", "token, TLS 1.3 with tickets, codec none");
        conditions.put("not_running", "cold-export, fanout-service, command-router");
        conditions.put("load_jvm_flags", Jvm.FLAGS);
        conditions.put("service_jvm_flags", ProcessStack.serviceFlags());
        return conditions;
    }

    /** The machine, and the versions of what runs on it. */
    static Map<String, Object> machine() {
        var conditions = new LinkedHashMap<String, Object>();
        conditions.put("processors", Runtime.getRuntime().availableProcessors());
        conditions.put(
                "os",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        conditions.put("java", Runtime.version().toString());
        conditions.put("kafka", org.apache.kafka.common.utils.AppInfoParser.getVersion());
        return conditions;
    }
}
