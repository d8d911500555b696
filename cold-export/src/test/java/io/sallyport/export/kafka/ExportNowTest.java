package io.sallyport.export.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExportNowTest {
    private static final long PATIENCE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final ExportNow now = new ExportNow(PATIENCE_NANOS);
    private final Set<Integer> assigned = new HashSet<>(List.of(0, 1, 2));

    @BeforeEach
    void begin() {
        try (var consumer = new MockConsumer<byte[], byte[]>("earliest")) {
            now.begin(consumer, assigned);
        }
    }

    private boolean done() {
        return now.isDone(assigned, System.nanoTime());
    }

    @Test
    void shouldWaitForAShardThatFails() {
        now.passed(0, 0);
        now.passed(2, 0);
        assertThat(done()).as("it is tried again").isFalse();
        now.passed(1, 0);
        assertThat(done()).isTrue();
        assertThat(now.result()).isCompletedWithValue(new ExportNow.Result(3, 0, 0, 0, 0));
    }

    @Test
    void shouldCountWhatFailsAllTheTime() {
        now.passed(0, 0);
        assertThat(now.isDone(assigned, System.nanoTime() + PATIENCE_NANOS)).isTrue();
        assertThat(now.result()).isCompletedWithValue(new ExportNow.Result(3, 0, 0, 2, 0));
    }

    @Test
    void shouldNotWaitForAShardThatWasGivenAway() {
        now.passed(0, 0);
        now.passed(2, 0);
        assigned.remove(1);
        assertThat(done()).isTrue();
        assertThat(now.result()).isCompletedWithValue(new ExportNow.Result(3, 0, 0, 1, 0));
    }

    @Test
    void shouldCountRowsThatWaitForTheirSegmentOnce() {
        now.passed(0, 5);
        now.passed(0, 5);
        now.passed(1, 0);
        now.passed(2, 2);
        assertThat(done()).isTrue();
        assertThat(now.result()).isCompletedWithValue(new ExportNow.Result(3, 0, 0, 0, 7));
    }
}
