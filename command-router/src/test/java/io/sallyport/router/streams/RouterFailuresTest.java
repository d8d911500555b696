package io.sallyport.router.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.router.core.Bodies;
import io.sallyport.router.core.Control;
import io.sallyport.router.core.Entries;
import io.sallyport.router.core.Session;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.tracing.CommandTraces;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouterFailuresTest {
    @Test
    void shouldSayThatItGivesUpWhereThreadsKeepDying(@TempDir Path dir) {
        var gaveUp = new AtomicInteger();
        var parts = new RouterTopology.Parts(
                Entries.LIMITS,
                new Nothing(),
                new Nothing(),
                new RouterMeters(new SimpleMeterRegistry()),
                CommandTraces.NONE);
        try (var streams = new RouterStreams(
                new RouterStreams.Settings("127.0.0.1:1", 0, dir, TopicSizing.LOCAL, "", 1, 100),
                parts,
                gaveUp::incrementAndGet)) {
            for (int i = 0; i < 20; i++) {
                assertThat(streams.onFailure(new IllegalStateException("poison")))
                        .isEqualTo(StreamThreadExceptionResponse.REPLACE_THREAD);
            }
            assertThat(gaveUp).hasValue(0);
            assertThat(streams.onFailure(new IllegalStateException("poison")))
                    .isEqualTo(StreamThreadExceptionResponse.SHUTDOWN_CLIENT);
            assertThat(gaveUp).hasValue(1);
        }
    }

    private static final class Nothing implements Bodies, Control {
        @Override
        public boolean has(MessageKey message) {
            return false;
        }

        @Override
        public boolean await(MessageKey message, long timeoutMs) {
            return false;
        }

        @Override
        public Optional<ByteString> payload(MessageKey message) {
            return Optional.empty();
        }

        @Override
        public boolean isLoaded() {
            return true;
        }

        @Override
        public Optional<MessageTypeSpec> type(int number) {
            return Optional.empty();
        }

        @Override
        public boolean isNodeAlive(Session session) {
            return false;
        }
    }
}
