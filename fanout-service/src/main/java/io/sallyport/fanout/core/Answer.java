package io.sallyport.fanout.core;

import java.util.function.Function;

/** A result, or the reason why there is none. */
public sealed interface Answer<T> {
    record Given<T>(T value) implements Answer<T> {}

    record Refused<T>(Refusal refusal) implements Answer<T> {}

    static <T> Answer<T> of(T value) {
        return new Given<>(value);
    }

    static <T> Answer<T> refused(Refusal refusal) {
        return new Refused<>(refusal);
    }

    default <R> Answer<R> map(Function<T, R> function) {
        return then(value -> of(function.apply(value)));
    }

    default <R> Answer<R> then(Function<T, Answer<R>> function) {
        if (this instanceof Given<T> given) {
            return function.apply(given.value());
        }
        return refused(((Refused<T>) this).refusal());
    }
}
