package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.Refusal;

/** Carries a refusal through an edge's framework to the mapper of that edge; nothing behind the edge throws it. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Refusal refusal;

    public RefusedException(Refusal refusal) {
        super(refusal.code() + ": " + refusal.detail(), null, false, false);
        this.refusal = refusal;
    }

    public Refusal refusal() {
        return refusal;
    }

    public static <T> T given(Answer<T> answer) {
        if (answer instanceof Answer.Given<T> given) {
            return given.value();
        }
        throw new RefusedException(((Answer.Refused<T>) answer).refusal());
    }
}
