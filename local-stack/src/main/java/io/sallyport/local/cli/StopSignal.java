package io.sallyport.local.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import sun.misc.Signal;

/**
 * Ctrl-C, SIGTERM and a closed terminal as a request that a command takes at its own pace, so that it ends with its
 * own exit code. The second one ends the process at once.
 */
final class StopSignal {
    private static final int INTERRUPTED = 130;

    private final CountDownLatch requested = new CountDownLatch(1);

    private StopSignal() {}

    static StopSignal install() {
        var stop = new StopSignal();
        for (String name : new String[] {"INT", "TERM", "HUP"}) {
            try {
                Signal.handle(new Signal(name), signal -> stop.request());
            } catch (IllegalArgumentException e) {
                // The JVM was told to leave this signal alone (nohup): then so does the command.
                continue;
            }
        }
        return stop;
    }

    private void request() {
        if (requested.getCount() == 0) {
            Runtime.getRuntime().halt(INTERRUPTED);
        }
        requested.countDown();
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits at most this long; true where the command shall stop. */
    boolean await(Duration atMost) throws InterruptedException {
        return requested.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }
}
