package io.sallyport.session.netty;

import io.sallyport.envelope.identity.SensorKey;
import java.util.concurrent.atomic.AtomicLong;

/** What one session brought in, decompressed. Added to by its event loop, looked at by another thread. */
final class SensorVolume {
    private final SensorKey sensor;
    private final AtomicLong bytes = new AtomicLong();
    /** Of the looking thread alone. */
    private long seenBytes = -1;

    private boolean named;

    SensorVolume(SensorKey sensor) {
        this.sensor = sensor;
    }

    SensorKey sensor() {
        return sensor;
    }

    void add(long received) {
        // One writer: no need for more.
        bytes.setOpaque(bytes.getPlain() + received);
    }

    /** Since the look before; negative at the first look, which saw only a part of its time. */
    long sinceLastLook() {
        long now = bytes.getOpaque();
        long since = seenBytes < 0 ? -1 : now - seenBytes;
        seenBytes = now;
        return since;
    }

    /** True once for each session: what is known already is no news. */
    boolean isNews() {
        boolean news = !named;
        named = true;
        return news;
    }
}
