package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Freshness;
import java.util.function.Supplier;

/**
 * Questions that must not be answered from yesterday: the caller's thread waits until this node has read on. Only so
 * many threads of one customer wait at a time, so that nobody can take all threads of an edge by asking for what does
 * not exist.
 */
public final class FreshReads {
    private final Freshness freshness;
    private final Turns turns;

    /** @param mostOfACustomer threads that wait for one customer at a time */
    public FreshReads(Freshness freshness, int mostOfACustomer) {
        this.freshness = freshness;
        this.turns = new Turns(mostOfACustomer);
    }

    /** Asks again, up to date, where the answer is a refusal that could come from lagging data. */
    <T> Answer<T> again(String customerId, Supplier<Answer<T>> question) {
        Answer<T> answer = question.get();
        return answer instanceof Answer.Refused<T> refused
                        && Freshness.couldHelp(refused.refusal().code().name())
                ? upToDate(customerId, question)
                : answer;
    }

    /** Asks once this node has read what was committed before; from what it has, where that takes too long. */
    <T> Answer<T> upToDate(String customerId, Supplier<Answer<T>> question) {
        if (!turns.take(customerId)) {
            return Answer.refused(ErrorCode.OVERLOADED.because(
                    "too many requests of the customer wait for what may just have changed"));
        }
        try {
            freshness.upToDate().join();
        } finally {
            turns.giveBack(customerId);
        }
        return question.get();
    }
}
