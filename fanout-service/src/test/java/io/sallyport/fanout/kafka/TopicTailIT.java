package io.sallyport.fanout.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.TestBroker;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.CommandLog;
import io.sallyport.proto.link.v1.HostMetadata;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopicTailIT {
    @Test
    void shouldCatchUpForManyAtOnceWithoutStartingAgain() throws Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (var log = new CommandLog();
                var tail = new TopicTail(
                        source("tail-under-test", List.of(Topics.ENDPOINT_METADATA.name())),
                        keys(seen),
                        failures::add)) {
            tail.start();
            tail.loaded().get(30, TimeUnit.SECONDS);
            var callers = Executors.newFixedThreadPool(16);
            List<Callable<Boolean>> asks = IntStream.range(0, 16)
                    .<Callable<Boolean>>mapToObj(caller -> () -> {
                        boolean always = true;
                        for (int i = 0; i < 100; i++) {
                            String sensor = "tail-" + caller + "-" + i;
                            log.sensor(new SensorKey("acme", sensor), 1, HostMetadata.getDefaultInstance());
                            log.flush();
                            // What was durable before the question is there after it.
                            always &= arrived(tail.catchUp()) && seen.contains("acme/" + sensor + "/1");
                        }
                        return always;
                    })
                    .toList();
            for (var answer : callers.invokeAll(asks)) {
                assertThat(answer.get()).isTrue();
            }
            callers.shutdown();
            assertThat(failures).isEmpty();
            assertThat(tail.isHealthy()).isTrue();
        }
    }

    @Test
    void shouldShareALookAndHaveReadWhatWasCommittedBeforeItWasAskedFor() throws Exception {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (var log = new CommandLog();
                var tail = new TopicTail(
                        source("freshness-under-test", List.of(Topics.ENDPOINT_METADATA.name())), keys(seen))) {
            var freshness = new TailFreshness(List.of(tail), Duration.ofSeconds(20));
            tail.start();
            tail.loaded().get(30, TimeUnit.SECONDS);
            var first = freshness.upToDate();
            var shared = freshness.upToDate();
            assertThat(freshness.upToDate()).isSameAs(shared);
            assertThat(shared).isNotSameAs(first);
            for (int i = 0; i < 20; i++) {
                // At once after another look has ended: what was written since must not be missed.
                log.sensor(new SensorKey("acme", "fresh-" + i), 1, HostMetadata.getDefaultInstance());
                log.flush();
                assertThat(freshness.upToDate().get(20, TimeUnit.SECONDS)).isTrue();
                assertThat(seen).contains("acme/fresh-" + i + "/1");
            }
        }
        // Nobody reads any more.
        try (var closed = new TopicTail(source("none", List.of()), keys(seen))) {
            var freshness = new TailFreshness(List.of(closed), Duration.ofMillis(10));
            assertThat(freshness.upToDate().get(20, TimeUnit.SECONDS)).isFalse();
            assertThat(freshness.upToDate().get(20, TimeUnit.SECONDS)).isFalse();
        }
    }

    private static boolean arrived(CompletableFuture<Void> end) throws Exception {
        end.get(20, TimeUnit.SECONDS);
        return true;
    }

    private static TailSource source(String name, List<String> topics) {
        return TailSource.of(TestBroker.shared().bootstrapServers(), name, topics)
                .quick();
    }

    private static TopicTail.Sink keys(Set<String> seen) {
        return (records, next) -> records.forEach(record -> seen.add(new String(record.key(), StandardCharsets.UTF_8)));
    }
}
