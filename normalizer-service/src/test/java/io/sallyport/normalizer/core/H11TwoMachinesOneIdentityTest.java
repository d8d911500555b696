package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.hash.ContentHash;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.proto.log.v1.Reason;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class H11TwoMachinesOneIdentityTest {
    private final Scenario scenario = new Scenario();

    @Test
    void shouldKeepOneBodyAndQuarantineTheOtherWithBothHashes() {
        scenario.feed(scenario.raw.range(T0, 3, 1, 100));
        Event ofA = Event.of(101, "body of A");
        Event ofB = Event.of(101, "body of B");
        scenario.feed(scenario.raw.batch(T0 + 1, 3, ofA));
        scenario.raw.session(2, 100);
        scenario.feed(scenario.raw.batch(T0 + 2, 3, ofB, Event.of(102, "B alone")));

        assertThat(scenario.committed(3)).endsWith(101L, 102L).doesNotHaveDuplicates();
        assertThat(new String(
                        scenario.commits().get(100).event().payload().array(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("body of A");
        assertThat(scenario.markers()).containsExactly("IDENTITY_COLLISION 3: 101");
        assertThat(scenario.quarantined()).singleElement().satisfies(refused -> {
            assertThat(refused.reason()).isEqualTo(Reason.IDENTITY_COLLISION);
            assertThat(refused.detail()).isEqualTo("kept " + hash(ofA) + ", refused " + hash(ofB));
            assertThat(refused.original().bytes()).isEqualTo(scenario.raw.body(3, ofB));
        });
    }

    @Test
    void shouldTellOtherTypesAndTimesApartToo() {
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1)));
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).type(5)));
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).ts(RawRecords.INGEST_US + 1)));
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1)));

        assertThat(scenario.quarantined()).hasSize(2);
        assertThat(scenario.duplicates).isEqualTo(1);
        assertThat(scenario.committed()).containsExactly(1L);
    }

    @Test
    void shouldCompareASeqThatStandsTwiceInOneBlock() {
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1), Event.of(1), Event.of(1, "other")));

        assertThat(scenario.committed()).containsExactly(1L);
        assertThat(scenario.duplicates).isEqualTo(1);
        assertThat(scenario.markers()).containsExactly("IDENTITY_COLLISION 1: 1");
    }

    private static String hash(Event event) {
        var hashes = new ContentHash();
        byte[] digest = hashes.payloadDigest(ByteBuffer.wrap(event.payload()));
        return HexFormat.of().toHexDigits(hashes.of(event.type(), 1, event.tsUs(), digest));
    }
}
