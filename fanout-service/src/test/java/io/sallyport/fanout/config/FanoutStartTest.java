package io.sallyport.fanout.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FanoutStartTest {
    @Test
    void shouldWaitAsLongAsReadingGetsOn() throws Exception {
        var loaded = new CompletableFuture<Void>();
        var looks = new AtomicInteger();
        FanoutStart.await(
                loaded,
                () -> {
                    if (looks.incrementAndGet() == 5) {
                        loaded.complete(null);
                    }
                    return looks.get();
                },
                1);
        assertThat(looks).hasValue(5);
    }

    @Test
    void shouldGiveUpWhereReadingStandsStill() {
        assertThatThrownBy(() -> FanoutStart.await(new CompletableFuture<>(), () -> 7, 1))
                .isInstanceOf(TimeoutException.class);
    }
}
