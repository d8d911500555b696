package io.sallyport.sim.fleet;

import java.util.Map;

/**
 * What a fleet has done so far; `sim --report` writes it as JSON with these names in snake_case.
 *
 * @param eventsSent distinct events that were sent at least once
 * @param eventsAcked events at or below their sensor's watermark, skipped ones not counted
 * @param batches BATCH frames, resends included
 * @param bytes of these frames
 * @param seconds since the first connect
 * @param reconnects sessions after each sensor's first
 * @param skipped events given up with SKIP
 * @param connected sensors that have an accepted session now
 * @param ackLatencyMs from the first send of an event to the ACK that covers it
 * @param messagesApplied messages answered with MESSAGE_ACK, repeats not counted
 * @param messagesRefused messages answered with MESSAGE_NACK, repeats not counted
 * @param messagesRepeated messages that had come before, answered as before
 * @param connections that stood, TLS included
 * @param throttles ACKs that asked for a pause
 * @param refused starts refused and sessions ended by REJECT, by its code
 */
public record FleetReport(
        long eventsSent,
        long eventsAcked,
        long batches,
        long bytes,
        double seconds,
        long reconnects,
        long skipped,
        int connected,
        Latency ackLatencyMs,
        long messagesApplied,
        long messagesRefused,
        long messagesRepeated,
        long connections,
        long throttles,
        Map<String, Long> refused) {

    /** Quantiles in milliseconds. */
    public record Latency(double p50, double p95, double p99, double p999, double max) {}
}
