package io.sallyport.edge.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningTopologyTest {
    @Test
    void shouldGiveUpWhereThreadsKeepDying(@TempDir Path dir) {
        var gaveUp = new AtomicInteger();
        var failures = new ArrayList<Throwable>();
        var member = new StreamsMember("127.0.0.1:1", "0", dir, "", 1, 100, TopicSizing.LOCAL);
        try (var running = new RunningTopology(
                "a test", Topology::new, member.config("test"), 20, failures::add, gaveUp::incrementAndGet)) {
            for (int i = 0; i < 20; i++) {
                assertThat(running.afterFailure(new IllegalStateException("poison")))
                        .isEqualTo(StreamThreadExceptionResponse.REPLACE_THREAD);
            }
            assertThat(gaveUp).hasValue(0);
            assertThat(running.afterFailure(new IllegalStateException("poison")))
                    .isEqualTo(StreamThreadExceptionResponse.SHUTDOWN_CLIENT);
            assertThat(gaveUp).hasValue(1);
            assertThat(failures).hasSize(21);
        }
    }

    @Test
    void shouldStopAtOnceAndAskForNoProcessWhereTheLogIsAnother(@TempDir Path dir) {
        var gaveUp = new AtomicInteger();
        var failures = new ArrayList<Throwable>();
        var member = new StreamsMember("127.0.0.1:1", "0", dir, "", 1, 100, TopicSizing.LOCAL);
        var failure =
                new StreamsException(catchThrowable(() -> LogMadeAnewException.refuse("raw", 3, 0, 10_001, 7, 5_000)));
        try (var running = new RunningTopology(
                "a test", Topology::new, member.config("test"), 20, failures::add, gaveUp::incrementAndGet)) {
            assertThat(running.afterFailure(failure)).isEqualTo(StreamThreadExceptionResponse.SHUTDOWN_CLIENT);
            assertThat(gaveUp).hasValue(0);
            assertThat(failures).containsExactly(failure);
        }
        assertThat(LogMadeAnewException.in(failure)).hasMessageContaining("raw was made anew: partition 3");
    }

    @Test
    void shouldTakeWhatIsReadAgainForWhatItIs() {
        // As old as it was, by clocks that differ a little; and state that does not know how old.
        LogMadeAnewException.refuse("raw", 3, 0, 10_000, 7, 5_000);
        LogMadeAnewException.refuse("raw", 3, 0, 10_000, 7, 0);
        assertThat(LogMadeAnewException.in(new StreamsException("poison"))).isNull();
    }

    @Test
    void shouldForgetOldFailures() {
        var failures = new ThreadFailures(2, 1_000);
        assertThat(failures.mayReplace(0)).isTrue();
        assertThat(failures.mayReplace(10)).isTrue();
        assertThat(failures.mayReplace(900)).isFalse();
        assertThat(failures.mayReplace(2_000)).isTrue();
    }

    @Test
    void shouldBeTheSameMemberAfterARestartAndKeepItsStateTwiceInACell(@TempDir Path dir) {
        var local = new StreamsMember("b:1", "7", dir, "", 2, 100, TopicSizing.LOCAL).config("app");
        assertThat(local)
                .containsEntry(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2)
                .containsEntry("main.consumer.group.instance.id", "app-7")
                .containsEntry(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 0)
                .doesNotContainKey("restore.consumer.client.rack");
        var cell = new StreamsMember("b:1", "7", dir, "zone-a", 2, 100, TopicSizing.CELL).config("app");
        assertThat(cell)
                .containsEntry(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 1)
                .containsEntry("client.tag.rack", "zone-a")
                .containsEntry("restore.consumer.client.rack", "zone-a");
        new StreamsConfig(cell);
    }
}
