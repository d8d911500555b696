package io.sallyport.local.records;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/** Where a reader begins in each partition. */
public sealed interface StartPosition {
    /** With the oldest record that is still there. */
    record Beginning() implements StartPosition {}

    /** With the first record that comes after the reader has started. */
    record Now() implements StartPosition {}

    /** With the first record that the log took at this time or later. */
    record At(Instant time) implements StartPosition {}

    /**
     * Reads {@code beginning}, {@code now}, a time in ISO 8601 with its offset, or milliseconds since 1970.
     *
     * @throws IllegalArgumentException for anything else
     */
    static StartPosition parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "beginning" -> new Beginning();
            case "now" -> new Now();
            default -> new At(time(text));
        };
    }

    private static Instant time(String text) {
        try {
            return text.chars().allMatch(Character::isDigit) && !text.isEmpty()
                    ? Instant.ofEpochMilli(Long.parseLong(text))
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not beginning, now, a time such as 2026-01-31T12:00:00Z, or milliseconds", e);
        }
    }
}
