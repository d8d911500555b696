package io.sallyport.session.core;

import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.RejectCode;

/** What the frame decoder made of received bytes. Bad bytes are a value too: the decoder never closes. */
public sealed interface Inbound {

    /** A complete frame of a type that a sensor may send; the body belongs to the receiver. */
    record Frame(FrameType type, byte[] body) implements Inbound {}

    /** The bytes are no frame that is allowed here; nothing after them can be read. */
    record Broken(RejectCode code, String detail) implements Inbound {}
}
