package io.sallyport.session.core;

import java.util.Locale;

/** Things that are counted and otherwise ignored. */
public enum Note {
    UNKNOWN_MESSAGE_ANSWER,
    PUSH_NOT_WRITABLE,
    PUSH_OUT_OF_ORDER,
    PUSH_INBOX_FULL,
    PUSH_WHILE_DRAINING,
    PUSH_EXPIRED,
    PUSH_REFUSED,
    PUSH_WITHOUT_SESSION,
    SKIP_WHILE_DRAINING,
    SKIP_NOT_APPENDED,
    STATS_TOO_EARLY,
    KEEPALIVE_LOST,
    HANDSHAKE_TIMEOUT_IN_TLS,
    HANDSHAKE_LIMIT,
    SILENT_TOO_LONG,
    TLS_FAILED;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
