package io.sallyport.fanout.selector;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.core.Selector;
import io.sallyport.fanout.core.Selector.FieldRef;
import io.sallyport.fanout.core.Selector.Operator;
import io.sallyport.fanout.core.SelectorTerms;
import io.sallyport.fanout.core.SelectorTerms.Literal;
import io.sallyport.fanout.selector.SelectorParser.FieldContext;
import io.sallyport.fanout.selector.SelectorParser.LiteralContext;

/** Walks a parse tree and makes the selector; what the language allows and the fields do not ends the walk. */
final class SelectorBuilder extends SelectorBaseVisitor<Selector> {

    /** Carries a refusal out of the generated code; it never leaves this package. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Refusal refusal;

        Refused(Refusal refusal) {
            super(refusal.detail(), null, false, false);
            this.refusal = refusal;
        }

        Refusal refusal() {
            return refusal;
        }
    }

    @Override
    public Selector visitNegation(SelectorParser.NegationContext context) {
        return new Selector.Not(visit(context.expression()));
    }

    @Override
    public Selector visitConjunction(SelectorParser.ConjunctionContext context) {
        return new Selector.And(visit(context.expression(0)), visit(context.expression(1)));
    }

    @Override
    public Selector visitDisjunction(SelectorParser.DisjunctionContext context) {
        return new Selector.Or(visit(context.expression(0)), visit(context.expression(1)));
    }

    @Override
    public Selector visitGroup(SelectorParser.GroupContext context) {
        return visit(context.expression());
    }

    @Override
    public Selector visitPresence(SelectorParser.PresenceContext context) {
        return new Selector.Has(field(context.field()));
    }

    @Override
    public Selector visitComparison(SelectorParser.ComparisonContext context) {
        return given(SelectorTerms.compare(
                field(context.field()), operator(context.operator.getText()), literal(context.literal())));
    }

    @Override
    public Selector visitMembership(SelectorParser.MembershipContext context) {
        Selector in = given(SelectorTerms.in(
                field(context.field()),
                context.literal().stream().map(SelectorBuilder::literal).toList()));
        return context.NOT() == null ? in : new Selector.Not(in);
    }

    @Override
    public Selector visitFlag(SelectorParser.FlagContext context) {
        return given(SelectorTerms.flag(field(context.field())));
    }

    private static FieldRef field(FieldContext context) {
        int position = AntlrSelectorParser.position(context.getStart());
        String word = context.WORD().getText();
        return given(
                context.STRING() == null
                        ? SelectorTerms.field(word, position)
                        : SelectorTerms.quotedTag(
                                word, unquoted(context.STRING().getText()), position));
    }

    private static Literal literal(LiteralContext context) {
        String text = context.getText();
        return new Literal(
                context.STRING() == null ? text : unquoted(text), AntlrSelectorParser.position(context.getStart()));
    }

    private static String unquoted(String text) {
        return text.substring(1, text.length() - 1).replaceAll("\\\\(.)", "$1");
    }

    private static Operator operator(String sign) {
        for (Operator operator : Operator.values()) {
            if (operator.sign().equals(sign)) {
                return operator;
            }
        }
        throw new IllegalStateException("the grammar has an operator that the language lacks: " + sign);
    }

    private static <T> T given(Answer<T> answer) {
        if (answer instanceof Answer.Given<T> given) {
            return given.value();
        }
        throw new Refused(((Answer.Refused<T>) answer).refusal());
    }
}
