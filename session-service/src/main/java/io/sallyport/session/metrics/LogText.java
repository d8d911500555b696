package io.sallyport.session.metrics;

/** Makes text from outside harmless for a log line. */
public final class LogText {
    private static final int MAX_LENGTH = 200;

    private LogText() {}

    /** Printable ASCII stays; everything else, and the characters of a lookup expression, is escaped; long text is cut. */
    public static String escape(String text) {
        var escaped = new StringBuilder(Math.min(text.length(), MAX_LENGTH) + 8);
        for (int i = 0; i < text.length(); i++) {
            if (i == MAX_LENGTH) {
                return escaped.append("...").toString();
            }
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7F && c != '$' && c != '\\') {
                escaped.append(c);
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return escaped.toString();
    }
}
