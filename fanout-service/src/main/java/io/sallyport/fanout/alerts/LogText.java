package io.sallyport.fanout.alerts;

/** Text of a tenant in a log line: what could end the line, a quoted field, or hide in it is written as a number. */
public final class LogText {
    private static final int MAX_CHARS = 512;

    private LogText() {}

    public static String escaped(String text) {
        var escaped = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 16);
        for (int i = 0; i < text.length() && i < MAX_CHARS; i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                escaped.append("\\u%04x".formatted((int) c));
            } else {
                escaped.append(c);
            }
        }
        return text.length() > MAX_CHARS ? escaped.append("…").toString() : escaped.toString();
    }
}
