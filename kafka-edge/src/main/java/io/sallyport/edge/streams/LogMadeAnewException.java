package io.sallyport.edge.streams;

import org.jspecify.annotations.Nullable;

/**
 * A topic begins again below what a task's state has handled: somebody deleted and created it, or put an empty cluster
 * below state that was restored from elsewhere. Whoever went by offsets would take the new records for old ones and pass
 * over them in silence, so the task refuses. A new thread or process would come to the same place.
 */
public final class LogMadeAnewException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** How far the clocks of two brokers that lead a partition one after the other may be apart. */
    private static final long CLOCKS_DIFFER_MS = 5_000;

    private LogMadeAnewException(String message) {
        super(message);
    }

    /**
     * Of a record that the state says was handled. Records are read again where a group's offsets were lost or set back, and
     * then they are as old as they were; append time only grows along a log.
     *
     * @param handledMs append time of the last record that was handled; 0 where it is not known
     */
    public static void refuse(String topic, int partition, long offset, long appendMs, long handled, long handledMs) {
        if (handledMs > 0 && appendMs > handledMs + CLOCKS_DIFFER_MS) {
            throw new LogMadeAnewException(
                    "%s was made anew: partition %d has a record at offset %d that is newer than what the state has handled up to offset %d; the state belongs to another log"
                            .formatted(topic, partition, offset, handled));
        }
    }

    /** Null where a failure has another cause. */
    public static @Nullable LogMadeAnewException in(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LogMadeAnewException found) {
                return found;
            }
        }
        return null;
    }
}
