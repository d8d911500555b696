package io.sallyport.deployment;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** As much of an expression as a comparison with the code needs: which series it names. promtool does the parsing. */
final class PromQl {
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern MATCHERS = Pattern.compile("\\{[^}]*}");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
    private static final Pattern LABELS =
            Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w:.])([a-zA-Z_:][\\w:]*)\\b(?!\\s*\\()");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset");

    private PromQl() {}

    static Set<String> series(String expression) {
        String rest = STRING.matcher(expression).replaceAll("");
        for (Pattern part : java.util.List.of(MATCHERS, RANGE, LABELS)) {
            rest = part.matcher(rest).replaceAll(" ");
        }
        var names = new TreeSet<String>();
        NAME.matcher(rest)
                .results()
                .map(found -> found.group(1))
                .filter(name -> !WORDS.contains(name))
                .forEach(names::add);
        return names;
    }

    static boolean isBalanced(String expression) {
        String rest = STRING.matcher(expression).replaceAll("");
        int depth = 0;
        for (char c : rest.toCharArray()) {
            if ("([{".indexOf(c) >= 0) {
                depth++;
            } else if (")]}".indexOf(c) >= 0 && --depth < 0) {
                return false;
            }
        }
        return depth == 0;
    }
}
