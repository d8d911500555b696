package io.sallyport.session.link;

import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.log.v1.Stamp;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.RawPressure;
import io.sallyport.session.core.SensorRoute;
import java.util.ArrayList;
import java.util.List;

/** A log in memory. Holds its answers back where asked to, or gives a set one. */
final class FakeRawLog implements RawLog {

    record Appended(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, Completion whenDone) {}

    private final List<Appended> records = new ArrayList<>();
    private Result answer = Result.DURABLE;
    private boolean holding;
    volatile RawPressure pressure = RawPressure.NONE;

    @Override
    public int shard(SensorRoute route) {
        return route.slot() / 512;
    }

    @Override
    public RawPressure pressure(SensorRoute route) {
        return pressure;
    }

    @Override
    public void append(SensorRoute route, RawKind kind, byte[] value, Stamp stamp, Completion whenDone) {
        Result now;
        synchronized (this) {
            records.add(new Appended(route, kind, value, stamp, whenDone));
            if (holding && kind != RawKind.EPOCH_OPEN) {
                return;
            }
            now = answer;
        }
        whenDone.done(now);
    }

    /** Gives no answers to batches and skips; the test does, in its order. */
    synchronized void hold() {
        holding = true;
    }

    synchronized void answer(Result result) {
        answer = result;
    }

    synchronized List<Appended> records() {
        return new ArrayList<>(records);
    }

    synchronized List<Appended> records(RawKind kind) {
        return records.stream().filter(record -> record.kind() == kind).toList();
    }
}
