package io.sallyport.e2e.link;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the raw log settles, decoded from its records by the table of section 4 of the page. */
final class Settled {
    private record Range(long fromSeq, long toSeq) {}

    private final Set<Long> seqs = new HashSet<>();
    private final List<Range> skipped = new ArrayList<>();

    static Settled by(List<RawTopic.Entry> entries) {
        var settled = new Settled();
        for (RawTopic.Entry entry : entries) {
            if (entry.kind().equals("BATCH")) {
                settled.addBatch(entry.value());
            } else {
                // u32 epoch · u64 from_seq · u64 to_seq · u16 reason
                var skip = ByteBuffer.wrap(entry.value());
                settled.skipped.add(new Range(skip.getLong(4), skip.getLong(12)));
            }
        }
        return settled;
    }

    private void addBatch(byte[] body) {
        int codec = body[8];
        int count = ByteBuffer.wrap(body).getShort(10) & 0xFFFF;
        int rawLength = ByteBuffer.wrap(body).getInt(12);
        byte[] block = Arrays.copyOfRange(body, Batch.HEADER_BYTES, body.length);
        var entries = ByteBuffer.wrap(codec == Batch.CODEC_ZSTD ? Zstd.decompress(block, rawLength) : block);
        for (int i = 0; i < count; i++) {
            seqs.add(entries.getLong());
            entries.position(entries.position() + 12);
            int payloadBytes = entries.getInt();
            entries.position(entries.position() + payloadBytes);
        }
    }

    /** The highest seq such that everything above {@code base} up to it is settled. */
    long watermark(long base) {
        long watermark = base;
        while (true) {
            long next = watermark + 1;
            if (seqs.contains(next)) {
                watermark = next;
            } else {
                var range = skipped.stream()
                        .filter(skip -> skip.fromSeq() <= next && next <= skip.toSeq())
                        .findFirst();
                if (range.isEmpty()) {
                    return watermark;
                }
                watermark = range.get().toSeq();
            }
        }
    }
}
