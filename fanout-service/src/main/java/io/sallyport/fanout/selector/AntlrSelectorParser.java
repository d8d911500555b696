package io.sallyport.fanout.selector;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.core.Selector;
import io.sallyport.fanout.core.SelectorParser;
import java.nio.charset.StandardCharsets;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;

/** {@link SelectorParser} by the generated parser of {@code Selector.g4}. Thread-safe: each call has its own parser. */
public final class AntlrSelectorParser implements SelectorParser {
    /** Deeper nesting is refused before the parser, which descends recursively, sees it. */
    static final int MAX_DEPTH = 64;

    @Override
    public Answer<Selector> parse(String text) {
        if (text.isBlank()) {
            return Answer.refused(ErrorCode.EMPTY_SELECTOR.because("the selector is empty"));
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > FanoutLimits.MAX_SELECTOR_BYTES) {
            return Answer.refused(ErrorCode.SELECTOR_SYNTAX.because(
                    "the selector is longer than " + FanoutLimits.MAX_SELECTOR_BYTES + " bytes"));
        }
        var lexer = new SelectorLexer(CharStreams.fromString(text));
        lexer.removeErrorListeners();
        var tokens = new CommonTokenStream(lexer);
        tokens.fill();
        int tooDeep = firstTooDeep(tokens);
        if (tooDeep > 0) {
            return Answer.refused(ErrorCode.SELECTOR_SYNTAX.at(tooDeep, "nested deeper than " + MAX_DEPTH));
        }
        var parser = new io.sallyport.fanout.selector.SelectorParser(tokens);
        parser.removeErrorListeners();
        parser.addErrorListener(new Thrower());
        try {
            return Answer.of(new SelectorBuilder().visit(parser.selector().expression()));
        } catch (SelectorBuilder.Refused e) {
            return Answer.refused(e.refusal());
        }
    }

    private static int firstTooDeep(CommonTokenStream tokens) {
        int depth = 0;
        int negations = 0;
        for (Token token : tokens.getTokens()) {
            switch (token.getText()) {
                case "(" -> depth++;
                case ")" -> depth--;
                default -> {}
            }
            negations = token.getType() == SelectorLexer.NOT ? negations + 1 : negations;
            if (depth > MAX_DEPTH || negations > MAX_DEPTH) {
                return position(token);
            }
        }
        return 0;
    }

    /** Where a token stands, from 1. */
    static int position(Token token) {
        return token.getStartIndex() + 1;
    }

    private static final class Thrower extends BaseErrorListener {
        @Override
        public void syntaxError(
                Recognizer<?, ?> recognizer,
                Object symbol,
                int line,
                int column,
                String message,
                RecognitionException cause) {
            throw new SelectorBuilder.Refused(refusal((Token) symbol));
        }

        private static Refusal refusal(Token token) {
            return token.getType() == Token.EOF
                    ? ErrorCode.SELECTOR_SYNTAX.at(position(token), "the selector ends too early")
                    : ErrorCode.SELECTOR_SYNTAX.at(position(token), "'" + token.getText() + "' does not fit here");
        }
    }
}
