package io.sallyport.normalizer.replay;

/** A replay that cannot be done, or not now; the message says why, and what can be done instead. Nothing was changed. */
public final class ReplayRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ReplayRefusedException(String why) {
        super(why);
    }
}
