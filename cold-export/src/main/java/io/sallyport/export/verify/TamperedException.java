package io.sallyport.export.verify;

/** Ends a verification at the first thing that does not hold. */
final class TamperedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Verdict.Tampered verdict;

    TamperedException(Verdict.Tampered verdict) {
        super(verdict.why());
        this.verdict = verdict;
    }

    Verdict.Tampered verdict() {
        return verdict;
    }
}
