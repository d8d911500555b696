package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.RawTopic.Entry;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 4 of the page: what a BATCH may hold, up to each edge, and what becomes of single events that are refused. */
class AcceptedBatchesIT {

    private static Session session;
    private static long nextSeq = 1;

    @BeforeAll
    static void open() {
        session = Link.open(Sensor.fresh("accepted"));
    }

    @AfterAll
    static void close() {
        session.close();
    }

    static Stream<Arguments> goodBatches() {
        return Stream.of(
                good("REPLAY", b -> b.withFlags(0x01)),
                good("RENUMBERED", b -> b.withFlags(0x02)),
                good("both flags", b -> b.withFlags(0x03)),
                good("flags and zstd", b -> b.compressed().withFlags(0x03)),
                good("event_type 2", b -> retyped(b, 2)),
                good("event_type 11", b -> retyped(b, 11)),
                good("an unregistered event_type", b -> retyped(b, 12)),
                good("event_type 65535", b -> retyped(b, 0xFFFF)),
                good("a sensor clock before 1970", b -> retimed(b, -1)),
                good("the first microsecond of all", b -> retimed(b, Long.MIN_VALUE)),
                good("the last microsecond of all", b -> retimed(b, Long.MAX_VALUE)),
                good("payload_schema 65535", b -> events(b, schema(0xFFFF))),
                good("a payload of one byte", b -> events(b, Event.of(nextSeq, new byte[1]))),
                good(
                        "a payload that looks like an entry",
                        b -> events(b, Event.of(nextSeq, Event.block(Event.of(0))))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goodBatches")
    void shouldAppendAsReceived(String what, UnaryOperator<Batch> change) {
        session.append(change.apply(session.batch(Event.of(nextSeq)))).expectWatermark(nextSeq++);
        Link.raw().assertHolds(session);
    }

    @Test
    void shouldTake512Events() {
        session.append(Event.range(nextSeq, nextSeq + 511)).expectWatermark(nextSeq + 511);
        nextSeq += 512;
        Link.raw().assertHolds(session);
    }

    @Test
    void shouldStampWithTheSession() {
        session.append(Event.of(nextSeq)).expectWatermark(nextSeq++);
        List<Entry> entries = Link.raw().telemetryOf(session.sensor());
        Entry last = entries.get(entries.size() - 1);
        assertThat(last.stamp().getSessionId()).isEqualTo(session.accept().getSessionId());
        assertThat(last.stamp().getBaseWatermark()).isEqualTo(session.accept().getWatermark());
        assertThat(last.stamp().getDroppedIndexesList()).isEmpty();
    }

    static Stream<Arguments> dropped() {
        return Stream.of(
                arguments("an empty payload in the middle", List.of(1, 0, 1), List.of(1)),
                arguments("an empty payload alone", List.of(0), List.of(0)),
                arguments("a large payload in the middle", List.of(1, Frames.MAX_EVENT_BYTES + 1, 1), List.of(1)),
                arguments("a large payload alone", List.of(Frames.MAX_EVENT_BYTES + 1), List.of(0)),
                arguments("all empty", List.of(0, 0, 0), List.of(0, 1, 2)),
                arguments("both kinds", List.of(0, Frames.MAX_EVENT_BYTES, 500_000, 1), List.of(0, 2)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("dropped")
    void shouldAcknowledgePastAnEventOfTheWrongSize(String what, List<Integer> payloadBytes, List<Integer> indexes) {
        for (boolean compressed : new boolean[] {false, true}) {
            Event[] events = new Event[payloadBytes.size()];
            for (int i = 0; i < events.length; i++) {
                events[i] = Event.of(nextSeq++, new byte[payloadBytes.get(i)]);
            }
            Batch batch = session.batch(events);
            session.append(compressed ? batch.compressed() : batch).expectWatermark(nextSeq - 1);
            List<Entry> entries = Link.raw().telemetryOf(session.sensor());
            assertThat(entries.get(entries.size() - 1).stamp().getDroppedIndexesList())
                    .isEqualTo(indexes);
        }
        Link.raw().assertHolds(session);
    }

    @Test
    void shouldTakeASeqTwiceInOneBlock() {
        Event same = Event.of(nextSeq);
        Event other = Event.of(nextSeq, Bytes.ascii("other"));
        session.append(same, same, other, Event.of(nextSeq + 1)).expectWatermark(nextSeq + 1);
        session.append(same, same).expectAck();
        nextSeq += 2;
        Link.raw().assertHolds(session);
    }

    @Test
    void shouldTakeAnyOrderInOneBlock() {
        Event[] events = Event.range(nextSeq, nextSeq + 99);
        Collections.shuffle(Arrays.asList(events), new Random(5));
        session.append(events).expectWatermark(nextSeq + 99);
        nextSeq += 100;
        Link.raw().assertHolds(session);
    }

    private static Arguments good(String what, UnaryOperator<Batch> change) {
        return arguments(what, change);
    }

    private static Batch events(Batch batch, Event event) {
        byte[] block = Event.block(event);
        return batch.withRawLength(block.length).withTransmitted(block);
    }

    private static Batch retyped(Batch batch, int type) {
        return events(batch, Event.of(nextSeq).withType(type));
    }

    private static Batch retimed(Batch batch, long eventTsUs) {
        return events(batch, Event.of(nextSeq).withTime(eventTsUs));
    }

    private static Event schema(int schema) {
        Event event = Event.of(nextSeq);
        return new Event(event.seq(), event.eventTsUs(), event.type(), schema, event.payloadLength(), event.payload());
    }
}
