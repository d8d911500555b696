package io.sallyport.local.stack;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Waiting for parts of a stack to serve. */
final class ReadyWait {
    /** For parts that cannot end by themselves. */
    static final Supplier<Optional<String>> NOTHING_ENDED = Optional::empty;

    private static final Duration LIMIT = Duration.ofSeconds(300);
    private static final long PAUSE_MS = 200;

    /** One look at the parts that are waited for. */
    private interface Look {
        List<PartHealth> parts() throws InterruptedException;
    }

    private ReadyWait() {}

    /**
     * Returns when every part serves.
     *
     * @param ended why one of them will never serve, where that is known
     */
    static void untilReady(Endpoints endpoints, Supplier<Optional<String>> ended) throws InterruptedException {
        var probe = new HealthProbe(endpoints);
        wait(probe::all, ended);
    }

    /** Returns when the part of this name serves. */
    static void untilReady(Endpoints endpoints, String name, Supplier<Optional<String>> ended)
            throws InterruptedException {
        var probe = new HealthProbe(endpoints);
        wait(() -> List.of(probe.part(name)), ended);
    }

    private static void wait(Look look, Supplier<Optional<String>> ended) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Optional<PartHealth> waiting =
                    look.parts().stream().filter(part -> !part.ready()).findFirst();
            if (waiting.isEmpty()) {
                return;
            }
            Optional<String> end = ended.get();
            if (end.isPresent()) {
                throw new StackException(end.get());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new StackException("%s is not ready after %d s: %s"
                        .formatted(
                                waiting.get().name(),
                                LIMIT.toSeconds(),
                                waiting.get().detail()));
            }
            Thread.sleep(PAUSE_MS);
        }
    }
}
