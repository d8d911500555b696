package io.sallyport.consumer.kafka;

import static io.sallyport.consumer.kafka.TestLog.event;
import static io.sallyport.consumer.kafka.TestLog.origin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.proto.log.v1.Takeover;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Groups whose log lost its start, or was derived again; on two shards of their own. */
class LostAndReplayedRecordsIT extends GroupCases {
    private static final int CUT = 6;
    private static final int REPLAYED = 7;

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

    /** The group's position is behind the records to which a takeover sends it back, until it commits again. */
    @Test
    void shouldTellWhatRetentionTookOfAReplayedShardBelowTheGroupsPosition() throws Exception {
        long begin = log.write(CUT, "back", event("back", 1, 4, origin(CUT, 1, 1)));
        log.write(CUT, "back", event("back", 2, 4, origin(CUT, 1, 2)));
        long handled = log.events(CUT, "back", 1, 2);
        Member live = member("back", new Replayed(CUT) {
            @Override
            public void beforeReplaced() throws Exception {
                log.cut(CUT, begin + 1);
            }
        });
        awaitSeen(live, events("back", 0, 1, 2));
        await().until(() -> log.committed(settings.group(), CUT) == handled + 1);

        long told = log.write(CUT, "back", takeover(CUT, 1, 9, begin));

        awaitSeen(
                live,
                Stream.of(events("back", 0, 1, 2), List.of("replaced from 1"), events("back", 1, 2, 2))
                        .flatMap(List::stream)
                        .toList());
        assertThat(overruns()).containsExactly(overrun(begin, begin));
        assertThat(live.count("sallyport.alerts", "kind", "CONSUMER_OVERRUN")).isEqualTo(1);
        // Other groups begin at the oldest record of this shard.
        log.cut(CUT, told + 1);
    }

    /** The brokers keep the group, or a member puts its position back: what it handled was of another log. */
    @Test
    void shouldReadALogThatWasMadeAnewFromItsBeginning() throws Exception {
        long begin = log.events(CUT, "anew", 1, 1);
        log.events(CUT, "anew", 2, 3);
        log.write(CUT, "anew", event("anew", 3, 4, origin(CUT, 1, 3)));
        log.cut(CUT, begin);
        log.generations(known(CUT, 3, 9));
        log.commit(settings.group(), CUT, begin + 1_000, "1 h 0:%d 1:%d t".formatted(begin + 900, begin + 999));

        Member member = member("anew", new Replayed(CUT));

        awaitSeen(
                member,
                Stream.of(List.of("replaced from 3"), events("anew", 0, 1, 2), events("anew", 1, 3, 3))
                        .flatMap(List::stream)
                        .toList());
        assertThat(member.count("sallyport.alerts", "kind", "CONSUMER_OVERRUN")).isEqualTo(1);
        assertThat(overruns()).as("nothing of this log was lost").isEmpty();
        await().until(() -> log.committed(settings.group(), CUT) == begin + 4);
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
