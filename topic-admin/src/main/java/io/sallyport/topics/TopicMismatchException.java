package io.sallyport.topics;

/** The broker's topics are not those of the catalogue; the message names each difference. */
public final class TopicMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TopicMismatchException(String message) {
        super(message);
    }
}
