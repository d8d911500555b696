package io.sallyport.fanout.core;

import io.sallyport.fanout.core.Selector.FieldRef;
import io.sallyport.fanout.core.Selector.Operator;
import io.sallyport.fanout.core.Selector.Value;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A selector over one table: each comparison is evaluated once per distinct value, then each row is looked up. */
final class SelectorCompiler {
    private final SensorTable table;
    private final NodeLife life;
    private @Nullable Refusal refusal;

    SelectorCompiler(SensorTable table, NodeLife life) {
        this.table = table;
        this.life = life;
    }

    /** Refused where it names a tag key that no sensor has. */
    Answer<RowTest> compile(Selector selector) {
        RowTest test = test(selector);
        return refusal == null ? Answer.of(test) : Answer.refused(refusal);
    }

    private RowTest test(Selector selector) {
        if (selector instanceof Selector.And and) {
            RowTest left = test(and.left());
            RowTest right = test(and.right());
            return row -> Truth.and(left.test(row), right.test(row));
        }
        if (selector instanceof Selector.Or or) {
            RowTest left = test(or.left());
            RowTest right = test(or.right());
            return row -> Truth.or(left.test(row), right.test(row));
        }
        if (selector instanceof Selector.Not not) {
            RowTest inner = test(not.inner());
            return row -> Truth.not(inner.test(row));
        }
        if (selector instanceof Selector.Has has) {
            return presence(has.field());
        }
        if (selector instanceof Selector.Compare compare) {
            return comparison(compare.field(), compare.operator(), compare.value());
        }
        return membership((Selector.In) selector);
    }

    /** A list of any length costs one look per row: its values are only asked of the distinct ones that sensors hold. */
    private RowTest membership(Selector.In in) {
        FieldRef field = in.field();
        return switch (field.field().kind()) {
            case TEXT, VERSION -> {
                boolean version = field.field().kind() == Field.Kind.VERSION;
                List<Predicate<String>> equal = in.values().stream()
                        .map(value -> text(Operator.EQUAL, value, version))
                        .toList();
                yield column(field).test(held -> equal.stream().anyMatch(one -> one.test(held)));
            }
            case SET -> {
                List<String> wanted = in.values().stream()
                        .map(value -> ((Value.Text) value).text())
                        .toList();
                yield table.capabilities().test(held -> wanted.stream().anyMatch(held::contains));
            }
            case FLAG -> {
                boolean yes = in.values().contains(new Value.Flag(true));
                boolean no = in.values().contains(new Value.Flag(false));
                yield row -> Truth.of(table.isConnected(row, life) ? yes : no);
            }
            case TIME -> throw new IllegalStateException("a time is not compared with a list");
        };
    }

    private RowTest presence(FieldRef field) {
        return switch (field.field().kind()) {
            case TEXT, VERSION -> column(field).present();
            case SET -> table.capabilities().present();
            case TIME -> row -> Truth.of(table.lastSeenUs(row, life) != 0);
            case FLAG -> row -> Truth.TRUE;
        };
    }

    private RowTest comparison(FieldRef field, Operator operator, Value value) {
        return switch (field.field().kind()) {
            case TEXT -> column(field).test(text(operator, value, false));
            case VERSION -> column(field).test(text(operator, value, true));
            case SET -> {
                String wanted = ((Value.Text) value).text();
                boolean contains = operator == Operator.EQUAL;
                yield table.capabilities().test(held -> held.contains(wanted) == contains);
            }
            case TIME -> time(operator, value);
            case FLAG -> {
                boolean wanted = ((Value.Flag) value).value() == (operator == Operator.EQUAL);
                yield row -> Truth.of(table.isConnected(row, life) == wanted);
            }
        };
    }

    private static Predicate<String> text(Operator operator, Value value, boolean version) {
        String wanted = ((Value.Text) value).text();
        if (!operator.isOrder() && (!version || wanted.isEmpty())) {
            return held -> held.equals(wanted) == (operator == Operator.EQUAL);
        }
        List<String> parts = VersionOrder.parts(wanted);
        return held -> operator.holds(VersionOrder.compareParts(VersionOrder.parts(held), parts));
    }

    private RowTest time(Operator operator, Value value) {
        if (value instanceof Value.Age age) {
            return row -> {
                long seenUs = table.lastSeenUs(row, life);
                return seenUs == 0
                        ? Truth.UNKNOWN
                        : Truth.of(operator.holds(Long.compare(life.nowUs() - seenUs, age.ageUs())));
            };
        }
        long atUs = ((Value.Instant) value).atUs();
        return row -> {
            long seenUs = table.lastSeenUs(row, life);
            return seenUs == 0 ? Truth.UNKNOWN : Truth.of(operator.holds(Long.compare(seenUs, atUs)));
        };
    }

    private Column<String> column(FieldRef field) {
        Column<String> column = table.column(field);
        if (column == null) {
            if (refusal == null) {
                refusal = ErrorCode.UNKNOWN_KEY.at(field.position(), "no sensor has '" + field + "'");
            }
            return new Column<>();
        }
        return column;
    }
}
