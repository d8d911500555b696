package io.sallyport.local.bench;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.proof.LeafEncoder;
import io.sallyport.envelope.proof.OpenSegment;
import io.sallyport.envelope.proof.TreeHash;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import java.lang.management.ManagementFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;

/** How many leaves one thread makes in a second of CPU time, their segments included, with the code that the normalizer runs. */
final class LeafRate {
    private static final long CPU_NS = 2_000_000_000L;
    private static final int CUSTOMERS = 100;
    private static final int BATCH = 1_000;

    private final TreeHash hash = new TreeHash();
    private final LeafEncoder encoder = new LeafEncoder(hash);
    private final MessageDigest sha256;
    private final byte[] payload;
    private long pos;
    private OpenSegment segment = new OpenSegment(new TreeKey("bench", 0, 0), 0, 0);
    private long segments;

    LeafRate(int payloadBytes) {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        payload = new byte[payloadBytes];
        new Random(1).nextBytes(payload);
    }

    /** @param digesting whether each payload is digested too, which the normalizer does for the content hash anyway */
    double perCpuSecond(boolean digesting) {
        // Once to warm up.
        measure(digesting);
        return measure(digesting);
    }

    private double measure(boolean digesting) {
        var threads = ManagementFactory.getThreadMXBean();
        byte[] digest = sha256.digest(payload);
        ByteString content = ByteString.copyFrom(payload);
        long leaves = 0;
        long beganNs = threads.getCurrentThreadCpuTime();
        long usedNs = 0;
        while (usedNs < CPU_NS) {
            for (int i = 0; i < BATCH; i++) {
                add(content, digesting ? sha256.digest(payload) : digest);
            }
            leaves += BATCH;
            usedNs = threads.getCurrentThreadCpuTime() - beganNs;
        }
        return leaves * 1e9 / usedNs;
    }

    private void add(ByteString content, byte[] digest) {
        String customer = TenantLoad.tenant((int) (pos % CUSTOMERS));
        Envelope event = Envelope.newBuilder()
                .setCustomerId(customer)
                .setSensorId("s-0")
                .setEpoch(1)
                .setSeq(pos)
                .setEventType(4)
                .setPayload(content)
                .setOrigin(Origin.newBuilder().setPos(pos).setRawOffset(pos))
                .build();
        segment.add(customer, encoder.leaf(event, content.size(), digest));
        pos++;
        if (pos % OpenSegment.MAX_LEAVES == 0) {
            segment.close(hash);
            segments++;
            segment = new OpenSegment(new TreeKey("bench", 0, 0), segments, pos);
        }
    }
}
