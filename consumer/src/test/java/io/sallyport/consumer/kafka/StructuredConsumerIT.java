package io.sallyport.consumer.kafka;

import static io.sallyport.consumer.kafka.TestLog.event;
import static io.sallyport.consumer.kafka.TestLog.origin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.consumer.ConsumerSettings;
import io.sallyport.consumer.NotNowException;
import io.sallyport.consumer.Position;
import io.sallyport.consumer.core.HandledPositions;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.DeadLetter;
import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.SeqRange;
import io.sallyport.proto.log.v1.Stage;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Groups on a real broker. */
class StructuredConsumerIT extends GroupCases {
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
}
