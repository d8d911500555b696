package io.sallyport.local.stack;

import org.jspecify.annotations.Nullable;

/** Something that a person can mend: the message says what in one line, and no stack trace is needed. */
public final class StackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StackException(String message) {
        super(message);
    }

    public StackException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
