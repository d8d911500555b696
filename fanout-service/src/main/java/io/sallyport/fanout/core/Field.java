package io.sallyport.fanout.core;

import java.util.Optional;

/** What a selector can speak of: the endpoint metadata of a sensor, and its session. */
public enum Field {
    HOSTNAME("hostname", Kind.TEXT),
    OS_FAMILY("os.family", Kind.TEXT),
    OS_NAME("os.name", Kind.TEXT),
    OS_VERSION("os.version", Kind.VERSION),
    OS_BUILD("os.build", Kind.VERSION),
    ARCH("arch", Kind.TEXT),
    DEVICE_CLASS("device.class", Kind.TEXT),
    AGENT_VERSION("agent.version", Kind.VERSION),
    POLICY("policy", Kind.TEXT),
    CONFIG_HASH("config.hash", Kind.TEXT),
    CAPABILITY("capability", Kind.SET),
    TAG("tag", Kind.TEXT),
    LAST_SEEN("last_seen", Kind.TIME),
    CONNECTED("connected", Kind.FLAG);

    /** How values of a field compare. */
    public enum Kind {
        /** Equality byte for byte; order as of versions. */
        TEXT,
        /** Equality and order as of versions. */
        VERSION,
        /** Equality means that it contains the value. */
        SET,
        TIME,
        FLAG
    }

    private final String word;
    private final Kind kind;

    Field(String word, Kind kind) {
        this.word = word;
        this.kind = kind;
    }

    /** As it is written in a selector; a tag's key follows {@code tag.} */
    public String word() {
        return word;
    }

    public Kind kind() {
        return kind;
    }

    /** Every field but {@link #TAG}, which has a key of its own. */
    static Optional<Field> named(String word) {
        for (Field field : values()) {
            if (field != TAG && field.word.equals(word)) {
                return Optional.of(field);
            }
        }
        return Optional.empty();
    }
}
