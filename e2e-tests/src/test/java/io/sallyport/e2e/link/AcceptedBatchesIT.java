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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 4 of the page: what a BATCH may hold, up to each edge, and what becomes of single events that are refused. */
class AcceptedBatchesIT {

    private static final KeptSession KEPT = new KeptSession("accepted");

    @AfterAll
    static void close() {
        KEPT.close();
    }

    static Stream<Arguments> goodBatches() {
        return Stream.of(
                good("REPLAY", b -> b.withFlags(0x01)),
                good("RENUMBERED", b -> b.withFlags(0x02)),
                good("both flags", b -> b.withFlags(0x03)),
                good("flags and zstd", b -> b.compressed().withFlags(0x03)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goodBatches")
    void shouldAppendAsReceived(String what, UnaryOperator<Batch> change) {
        Session session = KEPT.take();
        session.append(change.apply(session.batch(session.newEvents(3)))).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    static Stream<Arguments> goodEvents() {
        return Stream.of(
                goodEvent("event_type 2", e -> e.withType(2)),
                goodEvent("event_type 11", e -> e.withType(11)),
                goodEvent("an unregistered event_type", e -> e.withType(12)),
                goodEvent("event_type 65535", e -> e.withType(0xFFFF)),
                goodEvent("payload_schema 65535", e -> e.withSchema(0xFFFF)),
                goodEvent("a sensor clock before 1970", e -> e.withTime(-1)),
                goodEvent("the first microsecond of all", e -> e.withTime(Long.MIN_VALUE)),
                goodEvent("the last microsecond of all", e -> e.withTime(Long.MAX_VALUE)),
                goodEvent("a payload of one byte", e -> Event.of(e.seq(), new byte[1])),
                goodEvent("a payload of zero bytes only", e -> Event.of(e.seq(), new byte[4_096])),
                goodEvent("a payload that looks like an entry", e -> Event.of(e.seq(), Event.block(Event.of(0)))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goodEvents")
    void shouldAppendTheEventAsReceived(String what, UnaryOperator<Event> change) {
        Session session = KEPT.take();
        session.append(change.apply(Event.of(session.newSeq()))).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    @Test
    void shouldTake512Events() {
        Session session = KEPT.take();
        session.append(session.newEvents(Frames.MAX_BATCH_EVENTS)).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    @Test
    void shouldStampWithTheSession() {
        Session session = KEPT.take();
        session.append(session.newEvents(1)).expectAllAcknowledged();
        List<Entry> entries = Link.raw().telemetryOf(session.sensor());
        Entry last = entries.get(entries.size() - 1);
        assertThat(last.stamp().getSessionId()).isEqualTo(session.accept().getSessionId());
        assertThat(last.stamp().getBaseWatermark()).isEqualTo(session.accept().getWatermark());
        assertThat(last.stamp().getDroppedIndexesList()).isEmpty();
        KEPT.giveBack(session);
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
        Session session = KEPT.take();
        for (boolean compressed : new boolean[] {false, true}) {
            Event[] events = new Event[payloadBytes.size()];
            for (int i = 0; i < events.length; i++) {
                events[i] = Event.of(session.newSeq(), new byte[payloadBytes.get(i)]);
            }
            Batch batch = session.batch(events);
            session.append(compressed ? batch.compressed() : batch).expectAllAcknowledged();
            List<Entry> entries = Link.raw().telemetryOf(session.sensor());
            assertThat(entries.get(entries.size() - 1).stamp().getDroppedIndexesList())
                    .isEqualTo(indexes);
        }
        KEPT.giveBack(session);
    }

    @Test
    void shouldNameEveryDroppedEventOfAFullBatch() {
        Session session = KEPT.take();
        Event[] events = new Event[Frames.MAX_BATCH_EVENTS];
        for (int i = 0; i < events.length; i++) {
            events[i] = Event.of(session.newSeq(), new byte[0]);
        }
        session.append(events).expectAllAcknowledged();
        // Three megabytes that are a few hundred bytes on the wire.
        session.append(session.batch(Event.of(session.newSeq(), new byte[3 << 20]))
                        .compressed())
                .expectAllAcknowledged();
        List<Entry> entries = Link.raw().telemetryOf(session.sensor());
        assertThat(entries.get(entries.size() - 2).stamp().getDroppedIndexesList())
                .hasSize(events.length)
                .startsWith(0, 1)
                .endsWith(511);
        assertThat(entries.get(entries.size() - 1).stamp().getDroppedIndexesList())
                .containsExactly(0);
        KEPT.giveBack(session);
    }

    @Test
    void shouldTakeASeqTwiceInOneBlock() {
        Session session = KEPT.take();
        Event same = Event.of(session.newSeq());
        Event other = Event.of(same.seq(), Bytes.ascii("other"));
        session.append(same, same, other, Event.of(session.newSeq())).expectAllAcknowledged();
        session.append(same, same).expectAck();
        KEPT.giveBack(session);
    }

    @Test
    void shouldTakeAnyOrderInOneBlock() {
        Session session = KEPT.take();
        Event[] events = session.newEvents(100);
        Collections.shuffle(Arrays.asList(events), new Random(5));
        session.append(events).expectAllAcknowledged();
        KEPT.giveBack(session);
    }

    private static Arguments good(String what, UnaryOperator<Batch> change) {
        return arguments(what, change);
    }

    private static Arguments goodEvent(String what, UnaryOperator<Event> change) {
        return arguments(what, change);
    }
}
