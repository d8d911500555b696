package io.sallyport.local.bench;

import io.sallyport.sim.fleet.FleetReport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What a fleet in a process of its own has done so far.
 *
 * @param latency histogram of the ACK latencies in microseconds, compressed, in base64
 * @param accepted sessions in the order in which they were opened
 * @param newEpochs sessions after a sensor's first that did not resume its epoch
 */
record FleetLook(FleetReport report, String latency, List<Opened> accepted, int newEpochs) {

    /**
     * A session that was opened.
     *
     * @param atMs milliseconds since 1970
     * @param node ordinal of the gateway
     */
    record Opened(long atMs, int node) {}

    static String encode(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes.array(), length));
    }

    /** ACK latencies since the start of the fleet, in microseconds. */
    Histogram latencyUs() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(latency)), 1);
        } catch (DataFormatException e) {
            throw new IllegalStateException("the fleet's histogram cannot be read", e);
        }
    }

    /** ACK latencies since an earlier look at the same fleet. */
    Histogram latencyUsSince(FleetLook earlier) {
        Histogram since = latencyUs();
        since.subtract(earlier.latencyUs());
        return since;
    }

    /** Sessions that were opened at or after a moment. */
    List<Opened> acceptedSince(long sinceMs) {
        return new ArrayList<>(
                accepted.stream().filter(opened -> opened.atMs() >= sinceMs).toList());
    }
}
