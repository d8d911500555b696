package io.sallyport.sim.netty;

import io.sallyport.envelope.link.FrameType;
import java.nio.ByteBuffer;

/** What one connection reports, always on the thread of its {@link LinkLoop}. */
public interface LinkListener {

    /** TCP and TLS stand. */
    void linkUp(Link link);

    /** A whole frame; {@code body} is valid during the call only. */
    void frame(FrameType type, ByteBuffer body);

    /** What was read together is dispatched: time to send what it led to. */
    void readComplete();

    /** The connection takes more bytes again. */
    void writable();

    /** The connection is gone, or could not be made. Called exactly once. */
    void linkDown(String reason);
}
