package io.sallyport.fanout.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The order of versions: runs of digits compare as numbers of any length, so that 4.10 is above 4.9; runs of letters
 * compare as lower-case text and stand below any number, so that 1.0-beta is below 1.0; everything else separates.
 * Missing parts count as 0: 4.1 equals 4.1.0.
 */
public final class VersionOrder implements Comparator<String> {
    public static final VersionOrder INSTANCE = new VersionOrder();
    private static final String ZERO = "";

    private VersionOrder() {}

    @Override
    public int compare(String left, String right) {
        return compareParts(parts(left), parts(right));
    }

    /** The runs of a version, to compare it with many others. A run of digits loses its leading zeros. */
    static List<String> parts(String version) {
        var parts = new ArrayList<String>();
        int at = 0;
        while (at < version.length()) {
            char c = version.charAt(at);
            int from = at;
            if (isDigit(c)) {
                while (at < version.length() && isDigit(version.charAt(at))) {
                    at++;
                }
                while (from < at && version.charAt(from) == '0') {
                    from++;
                }
                parts.add(version.substring(from, at));
            } else if (Character.isLetter(c)) {
                while (at < version.length() && Character.isLetter(version.charAt(at))) {
                    at++;
                }
                parts.add(version.substring(from, at).toLowerCase(Locale.ROOT));
            } else {
                at++;
            }
        }
        return parts;
    }

    static int compareParts(List<String> left, List<String> right) {
        int length = Math.max(left.size(), right.size());
        for (int i = 0; i < length; i++) {
            int order = comparePart(i < left.size() ? left.get(i) : ZERO, i < right.size() ? right.get(i) : ZERO);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int comparePart(String left, String right) {
        boolean leftNumber = isNumber(left);
        if (leftNumber != isNumber(right)) {
            return leftNumber ? 1 : -1;
        }
        // Without leading zeros the longer number is the larger one.
        return leftNumber && left.length() != right.length()
                ? Integer.compare(left.length(), right.length())
                : Integer.signum(left.compareTo(right));
    }

    private static boolean isNumber(String part) {
        return part.isEmpty() || isDigit(part.charAt(0));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
