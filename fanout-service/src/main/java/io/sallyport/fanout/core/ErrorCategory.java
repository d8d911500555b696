package io.sallyport.fanout.core;

/** Whose fault an error is, and so what the caller can do about it. Each edge maps a category, never a single code. */
public enum ErrorCategory {
    /** The request breaks a rule; sending it again changes nothing. */
    INVALID,
    /** The request is larger than a limit. */
    TOO_LARGE,
    /** No valid credential. */
    UNAUTHENTICATED,
    /** A valid credential that does not allow this. */
    FORBIDDEN,
    /** What the request names does not exist. */
    NOT_FOUND,
    /** The request contradicts what is already there. */
    CONFLICT,
    /** The request would be valid, but not as things stand; the detail says what to change. */
    REFUSED,
    /** Too much at once; try again later. */
    OVERLOADED,
    /** Nothing wrong with the request; try it again with the same msg_id. */
    TRANSIENT,
    /** A fault of this service. */
    INTERNAL;

    /** What a caller is told to wait before it tries again. */
    public static final int RETRY_AFTER_S = 1;

    /** Whether the same request may succeed later, without anybody having changed anything. */
    public boolean isWorthARetry() {
        return this == OVERLOADED || this == TRANSIENT;
    }
}
