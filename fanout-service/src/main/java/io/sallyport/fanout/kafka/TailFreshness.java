package io.sallyport.fanout.kafka;

import io.sallyport.edge.read.TopicTail;
import io.sallyport.fanout.core.Freshness;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads tails to their ends, one look after another. Who asks while a look is under way shares the next one, which
 * begins a moment after the end of this one: what a tail is for is reading, whatever anybody asks of it. Thread-safe.
 */
public final class TailFreshness implements Freshness {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final List<TopicTail> tails;
    private final Duration timeout;
    /** A look that has not begun; it serves everybody who asks until then. */
    private @Nullable CompletableFuture<Boolean> next;

    private boolean busy;
    private long endedNs = System.nanoTime() - PAUSE.toNanos();

    /** @param timeout of one look */
    public TailFreshness(List<TopicTail> tails, Duration timeout) {
        this.tails = List.copyOf(tails);
        this.timeout = timeout;
    }

    @Override
    public CompletableFuture<Boolean> upToDate() {
        CompletableFuture<Boolean> look;
        long waitNs;
        synchronized (this) {
            if (next != null) {
                return next;
            }
            look = new CompletableFuture<>();
            next = look;
            if (busy) {
                return look;
            }
            busy = true;
            waitNs = PAUSE.toNanos() - (System.nanoTime() - endedNs);
        }
        begin(waitNs);
        return look;
    }

    private void begin(long waitNs) {
        if (waitNs <= 0) {
            look();
        } else {
            Executor later = CompletableFuture.delayedExecutor(waitNs, TimeUnit.NANOSECONDS);
            later.execute(this::look);
        }
    }

    private void look() {
        CompletableFuture<Boolean> look;
        synchronized (this) {
            look = next;
            next = null;
        }
        List<CompletableFuture<Void>> ends =
                tails.stream().map(TopicTail::catchUp).toList();
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failure) -> {
                    ends.forEach(end -> end.cancel(false));
                    ended();
                    if (look != null) {
                        look.complete(failure == null);
                    }
                });
    }

    private void ended() {
        synchronized (this) {
            endedNs = System.nanoTime();
            busy = next != null;
            if (!busy) {
                return;
            }
        }
        begin(PAUSE.toNanos());
    }
}
