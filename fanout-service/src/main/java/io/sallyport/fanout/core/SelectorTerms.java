package io.sallyport.fanout.core;

import io.sallyport.fanout.core.Selector.Compare;
import io.sallyport.fanout.core.Selector.FieldRef;
import io.sallyport.fanout.core.Selector.In;
import io.sallyport.fanout.core.Selector.Operator;
import io.sallyport.fanout.core.Selector.Value;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The typed parts of a selector, made of what was written; a parser calls it with words and their positions. */
public final class SelectorTerms {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|w)");
    private static final String TAG_PREFIX = "tag.";

    /** A literal as written, quotes removed. */
    public record Literal(String text, int position) {}

    private SelectorTerms() {}

    public static Answer<FieldRef> field(String word, int position) {
        if (word.startsWith(TAG_PREFIX)) {
            return tag(word.substring(TAG_PREFIX.length()), position);
        }
        return Field.named(word)
                .<Answer<FieldRef>>map(field -> Answer.of(new FieldRef(field, "", position)))
                .orElseGet(() -> Answer.refused(ErrorCode.UNKNOWN_KEY.at(position, "unknown field '" + word + "'")));
    }

    /** {@code tag."key"}. */
    public static Answer<FieldRef> quotedTag(String word, String key, int position) {
        return word.equals(TAG_PREFIX)
                ? tag(key, position)
                : Answer.refused(ErrorCode.SELECTOR_SYNTAX.at(position, "only a tag's key may be quoted"));
    }

    private static Answer<FieldRef> tag(String key, int position) {
        return key.isEmpty()
                ? Answer.refused(ErrorCode.UNKNOWN_KEY.at(position, "a tag needs a key"))
                : Answer.of(new FieldRef(Field.TAG, key, position));
    }

    /** A field alone: only a flag says something by itself. */
    public static Answer<Selector> flag(FieldRef field) {
        return field.field().kind() == Field.Kind.FLAG
                ? Answer.of(new Compare(field, Operator.EQUAL, new Value.Flag(true)))
                : Answer.refused(ErrorCode.SELECTOR_SYNTAX.at(
                        field.position(), "'" + field + "' is not compared with anything"));
    }

    public static Answer<Selector> compare(FieldRef field, Operator operator, Literal literal) {
        var kind = field.field().kind();
        if (operator.isOrder() && (kind == Field.Kind.SET || kind == Field.Kind.FLAG)) {
            return Answer.refused(ErrorCode.SELECTOR_TYPE.at(
                    field.position(), "'" + field + "' has no order, so " + operator.sign() + " does not apply"));
        }
        if (operator.isOrder() && kind != Field.Kind.TIME && literal.text().isEmpty()) {
            return Answer.refused(
                    ErrorCode.SELECTOR_TYPE.at(literal.position(), "the empty string has no place in an order"));
        }
        return value(field, literal).map(value -> new Compare(field, operator, value));
    }

    public static Answer<Selector> in(FieldRef field, List<Literal> literals) {
        if (field.field().kind() == Field.Kind.TIME) {
            return Answer.refused(ErrorCode.SELECTOR_TYPE.at(
                    field.position(), "'" + field + "' is compared with < and >, not with a list"));
        }
        var values = new ArrayList<Value>();
        for (Literal literal : literals) {
            Answer<Value> value = value(field, literal);
            if (value instanceof Answer.Refused<Value> refused) {
                return Answer.refused(refused.refusal());
            }
            values.add(((Answer.Given<Value>) value).value());
        }
        return Answer.of(new In(field, values));
    }

    private static Answer<Value> value(FieldRef field, Literal literal) {
        return switch (field.field().kind()) {
            case TEXT, VERSION, SET -> Answer.of(new Value.Text(literal.text()));
            case FLAG ->
                switch (literal.text()) {
                    case "true" -> Answer.of(new Value.Flag(true));
                    case "false" -> Answer.of(new Value.Flag(false));
                    default ->
                        Answer.refused(
                                ErrorCode.SELECTOR_TYPE.at(literal.position(), "'" + field + "' is true or false"));
                };
            case TIME -> time(literal);
        };
    }

    private static Answer<Value> time(Literal literal) {
        Matcher duration = DURATION.matcher(literal.text());
        if (duration.matches()) {
            return Answer.of(new Value.Age(Long.parseLong(duration.group(1)) * unitUs(duration.group(2))));
        }
        try {
            Instant at = Instant.parse(literal.text());
            return Answer.of(new Value.Instant(
                    Math.addExact(Math.multiplyExact(at.getEpochSecond(), 1_000_000L), at.getNano() / 1_000)));
        } catch (DateTimeException | ArithmeticException e) {
            return Answer.refused(ErrorCode.SELECTOR_TYPE.at(
                    literal.position(), "a time is a duration such as 24h, or such as 2026-11-30T10:00:00Z"));
        }
    }

    private static long unitUs(String unit) {
        return switch (unit) {
            case "ms" -> 1_000L;
            case "s" -> 1_000_000L;
            case "m" -> TimeUnit.MINUTES.toMicros(1);
            case "h" -> TimeUnit.HOURS.toMicros(1);
            case "d" -> TimeUnit.DAYS.toMicros(1);
            default -> TimeUnit.DAYS.toMicros(7);
        };
    }
}
