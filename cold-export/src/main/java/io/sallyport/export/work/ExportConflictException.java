package io.sallyport.export.work;

import java.io.IOException;

/** The store holds something else than what the shard's intent gives: somebody has to look. */
public final class ExportConflictException extends IOException {
    private static final long serialVersionUID = 1L;

    public ExportConflictException(String message) {
        super(message);
    }
}
