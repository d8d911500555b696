package io.sallyport.consumer.kafka;

import static io.sallyport.consumer.kafka.TestLog.event;
import static io.sallyport.consumer.kafka.TestLog.origin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.consumer.NotNowException;
import io.sallyport.consumer.Position;
import io.sallyport.consumer.core.HandledPositions;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.DeadLetter;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.Takeover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Groups on a real broker. Two shards are for tests alone that cut off the start of the log, and that replay. */
class StructuredConsumerIT {
    private static final int CUT = 6;
    private static final int REPLAYED = 7;
    private static final AtomicInteger GROUPS = new AtomicInteger();
    private static final Member.Behaviour WELL = event -> {};

    private static class Replayed implements Member.Behaviour {
        private final int shard;

        Replayed(int shard) {
            this.shard = shard;
        }

        @Override
        public void before(Envelope event) {}

        @Override
        public boolean minds(int other) {
            return other == shard;
        }
    }

    private static TestLog log;

    private final List<Member> members = new ArrayList<>();
    private final ConsumerSettings settings = ConsumerSettings.of(
                    TestBroker.shared().bootstrapServers(), "test-" + GROUPS.incrementAndGet())
            .withRetry(new ConsumerSettings.Retry(3, Duration.ofMillis(5), Duration.ofMillis(20)));

    @BeforeAll
    static void open() {
        log = new TestLog();
    }

    @AfterAll
    static void done() {
        log.close();
    }

    @AfterEach
    void close() {
        members.forEach(Member::close);
    }

    /** Others begin groups too. */
    @AfterEach
    void forgetTakeovers() throws Exception {
        log.generations();
    }

    private Member member(String sensor, Member.Behaviour behaviour) {
        return member(settings, sensor, behaviour);
    }

    private Member member(ConsumerSettings with, String sensor, Member.Behaviour behaviour) {
        var member = new Member(with, sensor, behaviour);
        members.add(member);
        return member;
    }

    private static List<String> events(String sensor, int generation, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(seq -> sensor + " " + generation + ":" + seq)
                .toList();
    }

    private static void awaitSeen(Member member, List<String> wanted) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(member.seen)
                        .as("failure: " + member.failure())
                        .containsExactlyElementsOf(wanted));
    }

    @Test
    void shouldHandOverInOrderAndCountWhatItDoesNotKnow() throws Exception {
        log.events(1, "order", 1, 3);
        log.write(
                1,
                "order",
                StructuredRecord.newBuilder()
                        .setMarker(CoverageMarker.newBuilder()
                                .setCustomerId("acme")
                                .setSensorId("order")
                                .setReason(Reason.GAP))
                        .build());
        log.write(1, "order", event("order", 5, 9_999, origin(1, 0, 5)));
        // A kind of record of a later version: field 14 of the oneof's message.
        log.write(Topics.STRUCTURED.name(), 1, "acme/order", new byte[] {0x72, 1, 0});
        log.events(1, "order", 6, 7);

        Member member = member(settings.withEventTypes(Set.of(4)), "order", WELL);

        awaitSeen(
                member,
                Stream.of(events("order", 0, 1, 3), List.of("order GAP"), events("order", 0, 6, 7))
                        .flatMap(List::stream)
                        .toList());
        assertThat(member.count("sallyport.consumer.passed", "why", "event_type"))
                .isEqualTo(1);
        assertThat(member.count("sallyport.consumer.passed", "why", "kind")).isEqualTo(1);
    }

    @Test
    void shouldRepeatWhatWasNotCommittedAfterADeathAndLetTheHandlerKnowIt() throws Exception {
        log.events(2, "death", 1, 10);
        Member killed = member("death", event -> {
            if (event.getSeq() == 6) {
                throw new OutOfMemoryError("as if the process were killed");
            }
        });
        await().until(() -> !killed.isAlive());
        assertThat(killed.failure()).isInstanceOf(OutOfMemoryError.class);
        assertThat(killed.seen).isEqualTo(events("death", 0, 1, 5));

        Member next = member("death", WELL);
        awaitSeen(next, events("death", 0, 1, 10));
        var handled = new HandledPositions();
        List<Position> effects = Stream.concat(killed.positions.stream(), next.positions.stream())
                .filter(at -> {
                    boolean isNew = handled.isNew(at);
                    handled.add(at);
                    return isNew;
                })
                .toList();
        assertThat(effects).hasSize(10).doesNotHaveDuplicates();

        next.close();
        log.events(2, "death", 11, 12);
        awaitSeen(member("death", WELL), events("death", 0, 11, 12));
    }

    @Test
    void shouldGiveUpAPoisonRecordOnceAndGoOn() throws Exception {
        var tries = new AtomicInteger();
        Member.Behaviour poisoned = event -> {
            if (event.getSeq() == 2) {
                tries.incrementAndGet();
                throw new IllegalStateException("no \u001b[31m detection");
            }
        };
        log.events(3, "poison", 1, 3);
        log.write(Topics.STRUCTURED.name(), 3, "acme/poison", new byte[] {(byte) 0xff, 1, 2});
        log.events(3, "poison", 4, 5);

        Member member = member("poison", poisoned);

        awaitSeen(
                member,
                Stream.of(events("poison", 0, 1, 1), events("poison", 0, 3, 5))
                        .flatMap(List::stream)
                        .toList());
        assertThat(tries).hasValue(3);
        assertThat(member.count("sallyport.alerts", "kind", "DEAD_LETTERED")).isEqualTo(2);
        member.close();
        log.events(3, "poison", 6, 6);
        awaitSeen(member("poison", poisoned), events("poison", 0, 6, 6));
        assertThat(tries).as("not tried again by the next").hasValue(3);

        List<DeadLetter> letters = log.values(Topics.DEAD_LETTERS).stream()
                .filter(letter -> letter.getGroup().equals(settings.group()) && letter.getPartition() == 3)
                .toList();
        assertThat(letters).hasSize(2);
        assertThat(letters.get(0).getSeq()).isEqualTo(2);
        assertThat(letters.get(0).getAttempts()).isEqualTo(3);
        assertThat(letters.get(0).getReason()).isEqualTo("java.lang.IllegalStateException: no ?[31m detection");
        assertThat(StructuredRecord.parseFrom(letters.get(0).getOriginal())
                        .getEvent()
                        .getSensorId())
                .isEqualTo("poison");
        assertThat(letters.get(1).getSensorId()).as("from its key").isEqualTo("poison");
        assertThat(letters.get(1).getAttempts()).as("bytes do not get better").isEqualTo(1);
        List<CoverageMarker> markers = log.values(Topics.COVERAGE).stream()
                .filter(marker -> marker.getDetail().contains(settings.group() + ","))
                .toList();
        assertThat(markers).hasSize(2).allSatisfy(marker -> {
            assertThat(marker.getReason()).isEqualTo(Reason.DEAD_LETTERED);
            assertThat(marker.getStage()).isEqualTo(Stage.STAGE_CONSUMER);
            assertThat(marker.getCustomerId() + "/" + marker.getSensorId()).isEqualTo("acme/poison");
        });
        assertThat(markers.get(0).getRangesList())
                .containsExactly(SeqRange.newBuilder().setFrom(2).setTo(2).build());
    }

    @Test
    void shouldNeverGiveUpARecordThatIsNotAtFault() throws Exception {
        var failures = new AtomicInteger();
        log.events(4, "away", 1, 2);

        Member member = member("away", event -> {
            if (event.getSeq() == 1 && failures.incrementAndGet() <= 7) {
                throw new NotNowException("the database is away");
            }
        });

        awaitSeen(member, events("away", 0, 1, 2));
        assertThat(failures).hasValue(8);
        assertThat(member.count("sallyport.consumer.dead.letters")).isZero();
    }

    @Test
    void shouldHandleEachRecordOnceWhileMembersComeAndGo() throws Exception {
        int shards = 6;
        Member first = member("share", WELL);
        await().until(() -> first.shards.size() == TopicSizing.LOCAL.shardsMax());
        for (int shard = 0; shard < shards; shard++) {
            log.events(shard, "share-" + shard, 1, 50);
        }
        Member second = member("share", WELL);
        await().atMost(Duration.ofSeconds(30)).until(() -> second.shards.size() == 4 && first.shards.size() == 4);
        assertThat(first.shards).doesNotContainAnyElementsOf(second.shards);
        for (int shard = 0; shard < shards; shard++) {
            log.events(shard, "share-" + shard, 51, 100);
        }
        first.close();
        for (int shard = 0; shard < shards; shard++) {
            log.events(shard, "share-" + shard, 101, 110);
        }

        await().atMost(Duration.ofSeconds(60)).until(() -> first.seen.size() + second.seen.size() >= shards * 110);
        List<String> all =
                Stream.concat(first.seen.stream(), second.seen.stream()).toList();
        assertThat(all).doesNotHaveDuplicates().hasSize(shards * 110);
        for (int shard = 0; shard < shards; shard++) {
            String sensor = "share-" + shard + " ";
            for (Member each : List.of(first, second)) {
                assertThat(each.seen.stream()
                                .filter(line -> line.startsWith(sensor))
                                .map(line -> Integer.parseInt(line.substring(line.indexOf(':') + 1))))
                        .isSorted();
            }
        }
    }

    @Test
    void shouldAlertOnceWhenTheLagUsesUpTheRetention() throws Exception {
        var blocked = new AtomicBoolean(true);
        log.events(5, "late", 1, 2);

        Member member =
                member(settings.withLag(new ConsumerSettings.Lag(0.1, Duration.ofSeconds(10))), "late", event -> {
                    if (blocked.get()) {
                        throw new NotNowException("not now");
                    }
                });

        await().atMost(Duration.ofSeconds(30))
                .until(() -> member.count("sallyport.alerts", "kind", "CONSUMER_LAG") == 1);
        await().until(() -> member.retentionUsed() > 0.2);
        blocked.set(false);
        awaitSeen(member, events("late", 0, 1, 2));
        await().until(() -> member.retentionUsed() == 0);
        assertThat(member.count("sallyport.alerts", "kind", "CONSUMER_LAG")).isEqualTo(1);
    }

    @Test
    void shouldTellWhatRetentionTookBeforeItWasRead() throws Exception {
        long handled = log.events(CUT, "cut", 1, 3);
        Member before = member("cut", WELL);
        awaitSeen(before, events("cut", 0, 1, 3));
        before.close();
        log.events(CUT, "cut", 4, 8);
        log.cut(CUT, handled + 4);

        Member after = member("cut", WELL);

        awaitSeen(after, events("cut", 0, 7, 8));
        assertThat(after.count("sallyport.alerts", "kind", "CONSUMER_OVERRUN")).isEqualTo(1);
        assertThat(overruns()).containsExactly(overrun(handled + 1, handled + 3));
    }

    private List<String> overruns() throws Exception {
        return log.values(Topics.COVERAGE).stream()
                .filter(marker -> marker.getReason() == Reason.RETENTION_OVERRUN)
                .map(CoverageMarker::getDetail)
                .filter(detail -> detail.startsWith("group " + settings.group() + ","))
                .toList();
    }

    private String overrun(long from, long to) {
        return "group %s, structured partition %d, offsets %d to %d".formatted(settings.group(), CUT, from, to);
    }

    @Test
    void shouldTellOfAnOverrunOnceItCanBeWrittenAndHoldUpNoOtherShard() throws Exception {
        long handled = log.events(CUT, "unwritten", 1, 3);
        Member before = member("unwritten", WELL);
        awaitSeen(before, events("unwritten", 0, 1, 3));
        before.close();
        log.events(CUT, "unwritten", 4, 5);
        log.cut(CUT, handled + 2);
        Member after;
        log.coverageTakes(100);
        try {
            after = member("unwritten", WELL);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(after.count("sallyport.consumer.failures"))
                            .as("failure: " + after.failure())
                            .isPositive());
            log.events(CUT - 1, "unwritten-not", 1, 2);
            awaitSeen(after, events("unwritten-not", 0, 1, 2));
        } finally {
            log.coverageTakes(Topics.COVERAGE.maxMessageBytes());
        }

        awaitSeen(
                after,
                Stream.of(events("unwritten-not", 0, 1, 2), events("unwritten", 0, 5, 5))
                        .flatMap(List::stream)
                        .toList());
        assertThat(overruns()).containsExactly(overrun(handled + 1, handled + 1));
    }

    @Test
    void shouldTellOfATakeoverThatLeftTheLogUnread() throws Exception {
        log.events(CUT, "missed", 1, 3);
        Member before = member("missed", WELL);
        awaitSeen(before, events("missed", 0, 1, 3));
        before.close();
        long begin = log.write(CUT, "missed", event("missed", 2, 4, origin(CUT, 1, 2)));
        long told = log.write(CUT, "missed", takeover(CUT, 2, 9, begin));
        log.write(CUT, "missed", event("missed", 4, 4, origin(CUT, 1, 10)));
        log.generations(known(CUT, 2, 9));
        log.cut(CUT, told + 1);
        var refused = new AtomicInteger();

        Member after = member("missed", new Replayed(CUT) {
            @Override
            public void beforeReplaced() {
                if (refused.incrementAndGet() <= 5) {
                    throw new IllegalStateException("not at once, and more often than a record may fail");
                }
            }
        });

        awaitSeen(
                after,
                Stream.of(List.of("replaced from 2"), events("missed", 1, 4, 4))
                        .flatMap(List::stream)
                        .toList());
        assertThat(after.takeovers).containsExactly(new ShardTakeover(1, 2, 9));
        assertThat(after.count("sallyport.consumer.dead.letters")).isZero();
        after.close();
        log.write(CUT, "missed", event("missed", 5, 4, origin(CUT, 1, 11)));
        awaitSeen(member("missed", new Replayed(CUT)), events("missed", 1, 5, 5));
    }

    private static StructuredRecord takeover(int shard, long from, long to, long structuredOffset) {
        return StructuredRecord.newBuilder()
                .setGeneration(GenerationRecord.newBuilder()
                        .setFromOffset(from)
                        .setToOffset(to)
                        .setComplete(true)
                        .setStructuredOffset(structuredOffset)
                        .setOrigin(origin(shard, 1, to)))
                .build();
    }

    private static Takeover known(int shard, long from, long to) {
        return Takeover.newBuilder()
                .setGeneration(1)
                .setShard(shard)
                .setFromOffset(from)
                .setToOffset(to)
                .build();
    }

    @Test
    void shouldReadAReplayedShardByItsCurrentRecords() throws Exception {
        log.events(REPLAYED, "replay", 1, 6);
        long begin = -1;
        for (long seq = 4; seq <= 6; seq++) {
            long at = log.write(REPLAYED, "replay", event("replay", seq, 4, origin(REPLAYED, 1, seq)));
            begin = begin < 0 ? at : begin;
            log.write(REPLAYED, "replay", event("replay", seq, 4, origin(REPLAYED, 2, seq)));
        }
        log.events(REPLAYED, "replay", 7, 7);
        Member live = member("replay", new Replayed(REPLAYED));
        awaitSeen(live, events("replay", 0, 1, 7));

        log.write(REPLAYED, "replay", takeover(REPLAYED, 4, 8, begin));
        log.write(REPLAYED, "replay", event("replay", 8, 4, origin(REPLAYED, 1, 8)));
        log.write(REPLAYED, "replay", event("replay", 8, 4, origin(REPLAYED, 0, 8)));
        log.generations(known(REPLAYED, 4, 8));

        List<String> replayed = Stream.of(
                        List.of("replaced from 4"), events("replay", 1, 4, 6), events("replay", 1, 8, 8))
                .flatMap(List::stream)
                .toList();
        awaitSeen(
                live,
                Stream.of(events("replay", 0, 1, 7), replayed)
                        .flatMap(List::stream)
                        .toList());
        assertThat(live.takeovers).containsExactly(new ShardTakeover(1, 4, 8));
        await().until(() -> live.count("sallyport.consumer.passed", "why", "void") == 1);
        live.close();
        log.write(REPLAYED, "replay", event("replay", 9, 4, origin(REPLAYED, 1, 9)));
        awaitSeen(member("replay", new Replayed(REPLAYED)), events("replay", 1, 9, 9));

        Member later = member(
                ConsumerSettings.of(TestBroker.shared().bootstrapServers(), "test-" + GROUPS.incrementAndGet()),
                "replay",
                new Replayed(REPLAYED));
        awaitSeen(
                later,
                Stream.of(
                                List.of("replaced from 4"),
                                events("replay", 0, 1, 3),
                                events("replay", 1, 4, 6),
                                events("replay", 1, 8, 9))
                        .flatMap(List::stream)
                        .toList());
        assertThat(later.takeovers)
                .as("the brokers may have forgotten a group that has something of the older generation")
                .hasSize(1);
    }
}
