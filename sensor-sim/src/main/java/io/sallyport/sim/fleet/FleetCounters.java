package io.sallyport.sim.fleet;

import io.sallyport.proto.link.v1.RejectCode;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** What the sensors of a fleet count together. Thread-safe. */
final class FleetCounters {
    private static final long MAX_LATENCY_US = TimeUnit.HOURS.toMicros(1);

    final LongAdder sent = new LongAdder();
    final LongAdder acked = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder connections = new LongAdder();
    final LongAdder throttles = new LongAdder();
    final LongAdder reconnects = new LongAdder();
    final LongAdder messagesApplied = new LongAdder();
    final LongAdder messagesRefused = new LongAdder();
    final LongAdder messagesRepeated = new LongAdder();
    final AtomicInteger connected = new AtomicInteger();
    private final Map<String, LongAdder> refused = new ConcurrentHashMap<>();
    private final ConcurrentHistogram latencyUs = new ConcurrentHistogram(MAX_LATENCY_US, 3);

    void ackLatency(long us) {
        latencyUs.recordValue(Math.min(Math.max(us, 0), MAX_LATENCY_US));
    }

    void message(MessageListener.Outcome outcome) {
        switch (outcome) {
            case APPLIED -> messagesApplied.increment();
            case REFUSED -> messagesRefused.increment();
            case REPEATED -> messagesRepeated.increment();
        }
    }

    Histogram latencyUs() {
        return latencyUs.copy();
    }

    /** A start was refused or a session ended. */
    void refused(RejectCode code) {
        refused.computeIfAbsent(code.name(), name -> new LongAdder()).increment();
    }

    private Map<String, Long> refused() {
        var counts = new TreeMap<String, Long>();
        refused.forEach((code, count) -> counts.put(code, count.sum()));
        return counts;
    }

    FleetReport report(double seconds) {
        Histogram copy = latencyUs.copy();
        return new FleetReport(
                sent.sum(),
                acked.sum(),
                batches.sum(),
                bytes.sum(),
                seconds,
                reconnects.sum(),
                skipped.sum(),
                connected.get(),
                new FleetReport.Latency(
                        copy.getValueAtPercentile(50) / 1e3,
                        copy.getValueAtPercentile(95) / 1e3,
                        copy.getValueAtPercentile(99) / 1e3,
                        copy.getValueAtPercentile(99.9) / 1e3,
                        copy.getMaxValue() / 1e3),
                messagesApplied.sum(),
                messagesRefused.sum(),
                messagesRepeated.sum(),
                connections.sum(),
                throttles.sum(),
                refused());
    }
}
