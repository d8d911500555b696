package io.sallyport.sim.spool;

/** The store of the spools failed: what it holds is as durable as before, but nothing more can be taken. */
public final class SpoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SpoolException(String message, Throwable cause) {
        super(message, cause);
    }
}
