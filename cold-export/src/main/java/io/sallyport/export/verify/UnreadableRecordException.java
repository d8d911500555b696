package io.sallyport.export.verify;

/** A record, or a file, that cannot be read as what must stand there: somebody put other bytes in its place. */
public final class UnreadableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int shard;
    private final String where;

    /** @param where it stands, as the operator finds it */
    public UnreadableRecordException(int shard, String where, Throwable cause) {
        super(where + " cannot be read", cause);
        this.shard = shard;
        this.where = where;
    }

    String where() {
        return where;
    }

    int shard() {
        return shard;
    }
}
