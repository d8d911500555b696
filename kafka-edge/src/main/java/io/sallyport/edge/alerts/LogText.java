package io.sallyport.edge.alerts;

/** Text from outside in a log line: what could end the line, a quoted field, start a lookup or hide in it is written as a number. */
public final class LogText {
    private static final int MAX_CHARS = 512;

    private LogText() {}

    /** Printable ASCII stays, without quotes, backslashes and the characters of lookups; text of more than 512 characters is cut. */
    public static String escape(String text) {
        var escaped = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 16);
        for (int i = 0; i < text.length(); i++) {
            if (i == MAX_CHARS) {
                return escaped.append("...").toString();
            }
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '$') {
                escaped.append("\\u%04x".formatted((int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
