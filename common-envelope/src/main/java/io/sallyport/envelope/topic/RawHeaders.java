package io.sallyport.envelope.topic;

/** Headers of a record of `raw`. */
public final class RawHeaders {
    /** The {@link RawKind}, by name in ASCII. */
    public static final String KIND = "kind";
    /** The admission stamp, protobuf {@code Stamp}. */
    public static final String STAMP = "stamp";

    private RawHeaders() {}
}
