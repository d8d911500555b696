package io.sallyport.consumer;

/**
 * Thrown by a handler whose surroundings fail, a database that is away: any record would fail now. It is tried again until
 * it works, and is never given up; the lag tells if that takes long.
 */
public class NotNowException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotNowException(String message) {
        super(message);
    }

    public NotNowException(String message, Throwable cause) {
        super(message, cause);
    }
}
