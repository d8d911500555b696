package io.sallyport.consumer.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.consumer.ConsumerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** What cases of groups on a real broker share: a log, and members that end with the test. */
abstract class GroupCases {
    static final AtomicInteger GROUPS = new AtomicInteger();
    static final Member.Behaviour WELL = event -> {};

    static TestLog log;

    private final List<Member> members = new ArrayList<>();
    final ConsumerSettings settings = ConsumerSettings.of(
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

    Member member(String sensor, Member.Behaviour behaviour) {
        return member(settings, sensor, behaviour);
    }

    Member member(ConsumerSettings with, String sensor, Member.Behaviour behaviour) {
        var member = new Member(with, sensor, behaviour);
        members.add(member);
        return member;
    }

    static List<String> events(String sensor, int generation, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(seq -> sensor + " " + generation + ":" + seq)
                .toList();
    }

    static void awaitSeen(Member member, List<String> wanted) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(member.seen)
                        .as("failure: " + member.failure())
                        .containsExactlyElementsOf(wanted));
    }
}
