package io.sallyport.normalizer.core;

import java.util.List;

/**
 * The outcome of one raw record.
 *
 * @param effects to be written in this order, in one transaction with what was stored
 * @param tally what is only counted
 */
public record Decision(List<Effect> effects, Tally tally) {

    /**
     * @param duplicates events that were committed before, with the same content
     * @param stillDeclared events that were settled without content before, and are still not valid
     * @param skewed committed events whose clock is wrong
     */
    public record Tally(int duplicates, int stillDeclared, int skewed) {
        public static final Tally NONE = new Tally(0, 0, 0);
    }
}
