package io.sallyport.normalizer.core;

import static io.sallyport.normalizer.core.Scenario.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.normalizer.core.RawRecords.Event;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RefusedEventsTest {
    private final Scenario scenario = new Scenario();

    @Test
    void shouldDeclareUnregisteredTypesAndKeepJustTheirBytes() {
        scenario.feed(scenario.raw.batch(
                T0,
                1,
                Event.of(1),
                Event.of(2).type(12),
                Event.of(3),
                Event.of(4).type(13)));

        assertThat(scenario.committed()).containsExactly(1L, 3L);
        assertThat(scenario.markers()).containsExactly("UNREGISTERED_TYPE 1: 2,4");
        assertThat(scenario.marks().get(0).detail()).isEqualTo("event types 12, 13");
        assertThat(scenario.quarantined())
                .singleElement()
                .satisfies(refused -> assertThat(refused.original().bytes())
                        .isEqualTo(scenario.raw.body(
                                1, Event.of(2).type(12), Event.of(4).type(13))));
    }

    @Test
    void shouldOnlyCountWhatIsStillNotValid() {
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).type(12)));
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).type(12)));
        assertThat(scenario.markers()).hasSize(1);
        assertThat(scenario.quarantined()).hasSize(1);
        assertThat(scenario.stillDeclared).isEqualTo(1);
    }

    @Test
    void shouldCommitOnceWhatIsPutBackAfterItsTypeWasRegistered() {
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1), Event.of(2).type(12), Event.of(3)));
        byte[] kept = scenario.quarantined().get(0).original().bytes();
        scenario.registered.add(12);
        scenario.raw.session(0, 0);
        scenario.feed(scenario.raw.raw(T0 + 100_000, RawKind.BATCH, kept));
        scenario.feed(scenario.raw.raw(T0 + 100_001, RawKind.BATCH, kept));

        assertThat(scenario.committed()).containsExactly(1L, 3L, 2L);
        assertThat(scenario.markers()).containsExactly("UNREGISTERED_TYPE 1: 2", "GAP_CLOSED 1: 2");
        assertThat(scenario.duplicates).isEqualTo(1);
    }

    @Test
    void shouldNotAskForATypeAgainOnceItWasCommitted() {
        scenario.registered.add(12);
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).type(12)));
        scenario.registered.remove(12);
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1).type(12)));
        assertThat(scenario.duplicates).isEqualTo(1);
        assertThat(scenario.markers()).isEmpty();
    }

    @Test
    void shouldMarkWhatTheGatewayDroppedForItsSize() {
        scenario.raw.dropped(1, 2);
        scenario.feed(scenario.raw.batch(
                T0, 1, Event.of(1), Event.of(2, "x".repeat(70_000)), new Event(3, 0, 4, new byte[0]), Event.of(4)));

        assertThat(scenario.committed()).containsExactly(1L, 4L);
        assertThat(scenario.markers()).containsExactly("EVENT_OVERSIZE 1: 2", "EVENT_UNDERSIZE 1: 3");
        assertThat(scenario.marks()).extracting(Effect.Mark::stage).containsOnly(Stage.STAGE_GATEWAY);
        assertThat(scenario.quarantined()).isEmpty();
    }

    @Test
    void shouldSplitWhatIsKeptIntoBodiesThatFitTheirRecords() {
        var events = new Event[40];
        for (int i = 0; i < events.length; i++) {
            events[i] = Event.of(i + 1, Character.toString('a' + i % 26).repeat(60_000))
                    .type(12);
        }
        scenario.raw.codec(BatchHeader.CODEC_ZSTD);
        scenario.feed(scenario.raw.batch(T0, 1, events));

        assertThat(scenario.markers()).containsExactly("UNREGISTERED_TYPE 1: 1-40");
        assertThat(scenario.quarantined())
                .hasSizeGreaterThan(1)
                .allSatisfy(
                        refused -> assertThat(refused.original().bytes().length).isLessThan(600_000));
        int events0 = 0;
        for (Effect.Quarantine refused : scenario.quarantined()) {
            var body = ByteBuffer.wrap(refused.original().bytes());
            BatchHeader header = BatchHeader.read(body).orElseThrow();
            assertThat(header.codec()).isEqualTo(BatchHeader.CODEC_NONE);
            var cursor = new EventCursor(body.slice(), header.count());
            while (cursor.next()) {
                events0++;
                assertThat(cursor.payload()).isEqualTo(ByteBuffer.wrap(events[(int) cursor.seq() - 1].payload()));
            }
            assertThat(cursor.isComplete()).isTrue();
        }
        assertThat(events0).isEqualTo(40);
    }

    @Test
    void shouldRefuseWhatDoesNotFitAStructuredRecord() {
        int tooLarge = Scenario.LIMITS.maxEventBytes() + 1;
        scenario.raw.codec(BatchHeader.CODEC_ZSTD);
        RawRecord record =
                scenario.raw.batch(T0, 1, Event.of(1, "z".repeat(tooLarge)), Event.of(2, "y".repeat(3 << 20)));
        scenario.feed(record);

        assertThat(scenario.commits()).isEmpty();
        assertThat(scenario.markers()).containsExactly("EVENT_OVERSIZE 1: 1-2");
        assertThat(scenario.marks()).extracting(Effect.Mark::stage).containsOnly(Stage.STAGE_NORMALIZER);
        assertThat(scenario.quarantined()).hasSize(2);
        assertThat(scenario.quarantined())
                .as("the one that fits no record even alone is kept as received")
                .anySatisfy(refused -> assertThat(refused.original().bytes()).isEqualTo(record.value()));
        assertThat(scenario.quarantined()).extracting(Effect.Quarantine::reason).containsOnly(Reason.EVENT_OVERSIZE);
    }

    @Test
    void shouldCollideWhatWasDroppedWithWhatIsCommitted() {
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1)));
        scenario.raw.dropped(0);
        scenario.feed(scenario.raw.batch(T0, 1, Event.of(1, "x".repeat(70_000))));
        assertThat(scenario.markers()).containsExactly("IDENTITY_COLLISION 1: 1");
        assertThat(scenario.quarantined()).hasSize(1);
    }
}
