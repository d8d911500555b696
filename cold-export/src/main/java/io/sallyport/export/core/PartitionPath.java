package io.sallyport.export.core;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Optional;

/**
 * Where the files of a customer and a date lie: {@code structured/customer=ID/date=YYYY-MM-DD/}. The date is that of the
 * ingest in UTC, never of the sensor's clock.
 *
 * <p>A customer id is percent-encoded: all but letters, digits, dot, underscore and dash, and a first character that is
 * no letter or digit. So two ids never share a folder, no id leaves its own, and none looks like the names that engines
 * reserve. Rows of no customer lie under {@code customer=-}.
 */
public final class PartitionPath {
    /** Folder of the rows that are current. */
    public static final String ROOT = "structured/";
    /** Folder of the rows that are not: of generations that were replaced, or have not taken over. Of the same form. */
    public static final String VOID_ROOT = "void/";

    private static final String CUSTOMER = "customer=";
    private static final String DATE = "/date=";
    private static final String NO_CUSTOMER = "-";
    private static final long US_PER_DAY = 86_400_000_000L;
    /** What a gateway with a broken clock may stamp stays readable by every engine. */
    private static final LocalDate FIRST = LocalDate.of(1970, 1, 1);

    private static final LocalDate LAST = LocalDate.of(2199, 12, 31);

    private PartitionPath() {}

    /** Folder of all files of a customer; it ends with a slash, so that no other customer's begins with it. */
    public static String ofCustomer(String customerId) {
        return ROOT + CUSTOMER + encode(customerId) + "/";
    }

    /** The same among the rows that are not current. */
    public static String ofVoidCustomer(String customerId) {
        return VOID_ROOT + ofCustomer(customerId).substring(ROOT.length());
    }

    /** @param date as {@link #date} gives it */
    public static String of(String customerId, String date) {
        return ROOT + CUSTOMER + encode(customerId) + DATE + date + "/";
    }

    /** The same among the rows that are not current. */
    public static String ofVoid(String customerId, String date) {
        return VOID_ROOT + of(customerId, date).substring(ROOT.length());
    }

    /** UTC date of a time, clamped to the years 1970 to 2199. */
    public static String date(long us) {
        long day = Math.floorDiv(us, US_PER_DAY);
        return LocalDate.ofEpochDay(Math.max(FIRST.toEpochDay(), Math.min(LAST.toEpochDay(), day)))
                .toString();
    }

    /** The customer that a path of {@link #of} belongs to; empty where it is no such path. */
    public static Optional<String> customerOf(String path) {
        String begin = ROOT + CUSTOMER;
        int end = path.indexOf(DATE);
        if (!path.startsWith(begin) || end < begin.length()) {
            return Optional.empty();
        }
        return decode(path.substring(begin.length(), end));
    }

    static String encode(String customerId) {
        if (customerId.isEmpty()) {
            return NO_CUSTOMER;
        }
        var out = new StringBuilder();
        for (byte b : customerId.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = isAlphanumeric(c) || (out.length() > 0 && (c == '.' || c == '_' || c == '-'));
            if (plain) {
                out.append(c);
            } else {
                out.append('%').append(hex(c >> 4)).append(hex(c & 15));
            }
        }
        return out.toString();
    }

    private static Optional<String> decode(String encoded) {
        if (encoded.equals(NO_CUSTOMER)) {
            return Optional.of("");
        }
        var bytes = new java.io.ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c != '%') {
                bytes.write(c);
                continue;
            }
            if (i + 2 >= encoded.length()) {
                return Optional.empty();
            }
            int high = Character.digit(encoded.charAt(i + 1), 16);
            int low = Character.digit(encoded.charAt(i + 2), 16);
            if (high < 0 || low < 0) {
                return Optional.empty();
            }
            bytes.write(high << 4 | low);
            i += 2;
        }
        String id = bytes.toString(StandardCharsets.UTF_8);
        // There is one way to write an id.
        return encode(id).equals(encoded) ? Optional.of(id) : Optional.empty();
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }

    private static char hex(int digit) {
        return "0123456789ABCDEF".charAt(digit);
    }
}
