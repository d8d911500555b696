package io.sallyport.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.Selector;
import io.sallyport.fanout.core.VersionOrder;
import io.sallyport.proto.link.v1.HostMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random selectors over random sensors, against an evaluation one sensor at a time with null for unknown. */
class SelectorPropertyTest {
    private static final List<String> FAMILIES = List.of("", "linux", "windows", "mac os");
    private static final List<String> VERSIONS = List.of("", "4.9", "4.10", "4.10.0", "5.0-beta", "5.0");
    private static final List<String> SITES = List.of("", "lab", "test site");
    private static final List<String> SIGNS = List.of("=", "!=", "<", "<=", ">", ">=");
    private static final List<String> SNIPPETS = List.of(
            "(",
            ")",
            "not ",
            "and",
            " or ",
            "in",
            "has(",
            "os.family",
            "tag.",
            "tag.\"",
            "'",
            "\"",
            "\\",
            "=",
            "!=",
            "<",
            "4.10",
            "24h",
            "connected",
            ",",
            " ",
            "\0",
            "é",
            "\ud83d\ude00",
            "\ud800",
            "\n",
            "99999999999w",
            "-");

    static Stream<Integer> seeds() {
        return IntStream.range(0, 200).boxed();
    }

    private record Sensor(String id, HostMetadata host) {}

    private record Term(String text, Function<HostMetadata, Boolean> truth) {}

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldSelectWhatIsTrueOneByOne(int seed) {
        var random = new Random(seed);
        var estate = new Estate();
        var sensors = new ArrayList<Sensor>();
        // One that has every tag, so that no key is unknown.
        sensors.add(new Sensor(
                "all", HostMetadata.newBuilder().putTags("site", "lab").build()));
        for (int i = 0; i < 30; i++) {
            sensors.add(new Sensor("s-" + i, host(random)));
        }
        sensors.forEach(sensor -> estate.with(sensor.id(), sensor.host().toBuilder()));
        for (int i = 0; i < 20; i++) {
            Term term = term(random, 4);
            assertThat(estate.select(term.text()))
                    .as("seed %d: %s", seed, term.text())
                    .containsExactlyInAnyOrderElementsOf(sensors.stream()
                            .filter(sensor -> Boolean.TRUE.equals(term.truth().apply(sensor.host())))
                            .map(Sensor::id)
                            .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldAnswerAnyTextWithASelectorOrWithAPlaceInIt(int seed) {
        var random = new Random(seed);
        var parser = new AntlrSelectorParser();
        for (int i = 0; i < 50; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(random.nextInt(20) == 0 ? 1_500 : 12); n >= 0; n--) {
                text.append(SNIPPETS.get(random.nextInt(SNIPPETS.size())));
            }
            if (parser.parse(text.toString()) instanceof Answer.Refused<Selector> refused) {
                assertThat(refused.refusal().position())
                        .as("seed %d: %s", seed, text)
                        .isBetween(0, text.length() + 1);
            }
        }
    }

    private static HostMetadata host(Random random) {
        var host = HostMetadata.newBuilder().setOsFamily(any(random, FAMILIES)).setOsVersion(any(random, VERSIONS));
        if (random.nextBoolean()) {
            host.putTags("site", any(random, SITES));
        }
        for (String capability : List.of("isolate", "scan")) {
            if (random.nextInt(3) == 0) {
                host.addCapabilities(capability);
            }
        }
        return host.build();
    }

    private static Term term(Random random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return leaf(random);
        }
        Term left = term(random, depth - 1);
        if (random.nextInt(3) == 0) {
            return new Term(
                    "not (" + left.text() + ")", host -> not(left.truth().apply(host)));
        }
        Term right = term(random, depth - 1);
        return random.nextBoolean()
                ? new Term(
                        "(" + left.text() + ") and (" + right.text() + ")",
                        host -> not(or(
                                not(left.truth().apply(host)), not(right.truth().apply(host)))))
                : new Term(
                        "(" + left.text() + ") or (" + right.text() + ")",
                        host -> or(left.truth().apply(host), right.truth().apply(host)));
    }

    private static Term leaf(Random random) {
        String sign = any(random, SIGNS);
        return switch (random.nextInt(6)) {
            case 0 -> compare("os.family", sign, any(random, FAMILIES), HostMetadata::getOsFamily, false);
            case 1 -> compare("os.version", sign, any(random, VERSIONS), HostMetadata::getOsVersion, true);
            case 2 -> compare("tag.site", sign, any(random, SITES), SelectorPropertyTest::site, false);
            case 3 -> new Term("has(tag.site)", host -> site(host) != null);
            case 4 ->
                new Term(
                        "capability = scan",
                        host -> host.getCapabilitiesCount() == 0
                                ? null
                                : host.getCapabilitiesList().contains("scan"));
            default -> {
                String one = any(random, VERSIONS);
                String other = any(random, VERSIONS);
                Term first = compare("os.version", "=", one, HostMetadata::getOsVersion, true);
                Term second = compare("os.version", "=", other, HostMetadata::getOsVersion, true);
                yield new Term(
                        "os.version in ('" + one + "', '" + other + "')",
                        host -> or(first.truth().apply(host), second.truth().apply(host)));
            }
        };
    }

    private static Term compare(
            String field, String sign, String value, Function<HostMetadata, String> held, boolean version) {
        // The empty text has no place in an order.
        String used =
                value.isEmpty() && !sign.endsWith("=") || value.isEmpty() && sign.length() == 2 && !sign.equals("!=")
                        ? "="
                        : sign;
        boolean tag = field.startsWith("tag");
        return new Term(field + " " + used + " '" + value + "'", host -> {
            String text = held.apply(host);
            if (text == null || (text.isEmpty() && !tag)) {
                return null;
            }
            boolean equal =
                    version && !value.isEmpty() ? VersionOrder.INSTANCE.compare(text, value) == 0 : text.equals(value);
            int order = VersionOrder.INSTANCE.compare(text, value);
            return switch (used) {
                case "=" -> equal;
                case "!=" -> !equal;
                case "<" -> order < 0;
                case "<=" -> order <= 0;
                case ">" -> order > 0;
                default -> order >= 0;
            };
        });
    }

    private static String site(HostMetadata host) {
        return host.getTagsMap().get("site");
    }

    private static Boolean not(Boolean value) {
        return value == null ? null : !value;
    }

    private static Boolean or(Boolean left, Boolean right) {
        if (Boolean.TRUE.equals(left) || Boolean.TRUE.equals(right)) {
            return true;
        }
        return left == null || right == null ? null : Boolean.FALSE;
    }

    private static <T> T any(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
