package io.sallyport.e2e.link;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A well-behaved sensor of another customer that sends all the time, and has to get each of its ACKs. */
final class ControlClient implements AutoCloseable {
    private static final int FEW = 20;

    private final Session session;
    private final CompletableFuture<Long> acknowledged;
    private volatile boolean stopping;

    private ControlClient(Session session) {
        this.session = session;
        this.acknowledged = CompletableFuture.supplyAsync(this::run, command -> {
            var thread = new Thread(command, "control-client");
            thread.setDaemon(true);
            thread.start();
        });
    }

    static ControlClient start() {
        return new ControlClient(Link.open(Sensor.freshOfOtherCustomer("control")));
    }

    private long run() {
        long seq = 0;
        while (!stopping || seq < FEW) {
            seq++;
            session.append(Event.of(seq)).expectWatermark(seq);
        }
        return seq;
    }

    /** Stops it. @throws AssertionError where it missed an ACK, or where its events are not in the log */
    void assertServed() {
        stopping = true;
        try {
            acknowledged.get(SensorClient.PATIENCE_S * 2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the control client was disturbed", e);
        }
        session.barrier();
        Link.raw().assertHolds(session);
    }

    @Override
    public void close() {
        stopping = true;
        session.close();
    }
}
