package io.sallyport.fanout.core;

import java.util.List;

/** A selector that makes sense by itself: its fields exist and are compared with what they can be compared with. */
public sealed interface Selector {

    /**
     * A field, and a tag's key where it is a tag; empty otherwise.
     *
     * @param position in the text, from 1
     */
    record FieldRef(Field field, String tagKey, int position) {
        @Override
        public String toString() {
            return field == Field.TAG ? field.word() + '.' + tagKey : field.word();
        }
    }

    enum Operator {
        EQUAL("="),
        NOT_EQUAL("!="),
        LESS("<"),
        AT_MOST("<="),
        GREATER(">"),
        AT_LEAST(">=");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        public String sign() {
            return sign;
        }

        public boolean isOrder() {
            return this != EQUAL && this != NOT_EQUAL;
        }

        /** Whether it holds for two values whose comparison is {@code comparison}. */
        public boolean holds(int comparison) {
            return switch (this) {
                case EQUAL -> comparison == 0;
                case NOT_EQUAL -> comparison != 0;
                case LESS -> comparison < 0;
                case AT_MOST -> comparison <= 0;
                case GREATER -> comparison > 0;
                case AT_LEAST -> comparison >= 0;
            };
        }
    }

    /** What a field is compared with. */
    sealed interface Value {
        record Text(String text) implements Value {}

        record Flag(boolean value) implements Value {}

        /** Microseconds since 1970. */
        record Instant(long atUs) implements Value {}

        /** How long ago; compared as an age, so that {@code last_seen < 1h} means within the last hour. */
        record Age(long ageUs) implements Value {}
    }

    record And(Selector left, Selector right) implements Selector {}

    record Or(Selector left, Selector right) implements Selector {}

    record Not(Selector inner) implements Selector {}

    record Has(FieldRef field) implements Selector {}

    record Compare(FieldRef field, Operator operator, Value value) implements Selector {}

    /** The field equals one of the values. */
    record In(FieldRef field, List<Value> values) implements Selector {
        public In {
            values = List.copyOf(values);
        }
    }
}
