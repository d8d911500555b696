package io.sallyport.local.stack;

import io.sallyport.sim.spool.SpoolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.security.GeneralSecurityException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import tools.jackson.core.JacksonException;

/**
 * Says in a sentence why something failed, for a person at a terminal: what is wrong with which file or peer. The names
 * of Java's classes never get there; {@code --verbose} prints them.
 */
public final class PlainReason {
    private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:\\w+\\.)*\\w+(?:Exception|Error)\\b(?:: )?");

    private PlainReason() {}

    public static String of(Throwable failure) {
        Throwable cause = failure.getCause();
        if (cause != null
                && (failure instanceof UncheckedIOException
                        || failure instanceof ExecutionException
                        || failure instanceof CompletionException)) {
            return of(cause);
        }
        if (failure instanceof StackException) {
            return String.valueOf(failure.getMessage());
        }
        if (failure instanceof FileSystemException file) {
            return file.getFile() == null ? ofFile(file) : file.getFile() + ": " + ofFile(file);
        }
        if (failure instanceof ConnectException) {
            // The JDK's HTTP client gives it no message.
            return "connection refused";
        }
        if (failure instanceof UnknownHostException) {
            return "the host is not known: " + message(failure);
        }
        if (failure instanceof JacksonException json) {
            return "this is not the JSON that belongs there: " + json.getOriginalMessage();
        }
        if (failure instanceof KafkaException) {
            return "Kafka: " + message(failure) + (cause == null ? "" : ": " + of(cause));
        }
        if (failure instanceof GeneralSecurityException) {
            return "a key or certificate cannot be used: " + message(failure);
        }
        boolean spoken = failure instanceof IOException
                || failure instanceof SpoolException
                || failure instanceof IllegalArgumentException
                || failure instanceof IllegalStateException;
        return spoken && failure.getMessage() != null
                ? message(failure)
                : "an error in this program; --verbose prints where it happened";
    }

    /** The reason at the bottom, where frameworks wrap it several times. */
    static String ofRoot(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return of(root);
    }

    private static String ofFile(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "access is denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "it is there already, and not what is needed";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a folder";
        }
        return failure.getReason() == null ? "it cannot be used" : failure.getReason();
    }

    private static String message(Throwable failure) {
        return CLASS_NAME
                .matcher(Objects.requireNonNullElse(failure.getMessage(), ""))
                .replaceAll("")
                .strip();
    }
}
