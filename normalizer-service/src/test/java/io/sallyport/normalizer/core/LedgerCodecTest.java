package io.sallyport.normalizer.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.envelope.watermark.SeqRangeSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerCodecTest {

    /** Holes against the plain set of settled seqs, across many encodings. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldAgreeWithAPlainSetOfSettledSeqs(long seed) {
        var random = new Random(seed);
        var store = new MemoryStore();
        EpochLedger ledger = LedgerCodec.decode(1, null, store);
        var settled = new SeqRangeSet();
        for (int step = 0; step < 3_000; step++) {
            long from = 1 + random.nextInt(600);
            long to = random.nextBoolean() ? from : from + random.nextInt(40);
            switch (random.nextInt(4)) {
                case 0 -> {
                    List<SeqRange> open = ledger.declare(from, to, step);
                    assertThat(open).as("seed %d step %d", seed, step).isEqualTo(settled.missingIn(from, to));
                    settled.add(from, to);
                }
                case 1 -> {
                    assertThat(ledger.isOpen(from))
                            .as("seed %d step %d", seed, step)
                            .isNotEqualTo(settled.contains(from));
                    if (ledger.isOpen(from)) {
                        ledger.commitOpen(from, from * 31, step);
                        settled.add(from);
                    }
                }
                case 2 -> {
                    if (random.nextInt(40) == 0) {
                        List<SeqRange> given = ledger.finalizeUpTo(from, step);
                        assertThat(given).as("seed %d step %d", seed, step).isEqualTo(settled.missingIn(1, from));
                        settled.add(1, from);
                    }
                }
                default -> {
                    ledger.hashes().flush();
                    ledger = LedgerCodec.decode(1, LedgerCodec.encode(ledger), store);
                }
            }
            long contiguous = settled.contains(1) ? settled.get(0).to() : 0;
            assertThat(ledger.holes().watermark())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(contiguous);
            assertThat(ledger.holes().top()).as("seed %d step %d", seed, step).isEqualTo(settled.last());
        }
    }
}
