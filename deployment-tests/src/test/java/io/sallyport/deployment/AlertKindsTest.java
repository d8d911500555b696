package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.epoch.EpochAlert;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every kind of alert that the code can raise, and no other, has a rule, a test of it, a panel and its words. */
class AlertKindsTest {
    private static final Set<String> DECLARED = Stream.of(
                    EpochAlert.values(),
                    io.sallyport.session.core.AlertKind.values(),
                    io.sallyport.normalizer.metrics.AlertKind.values(),
                    io.sallyport.router.core.AlertKind.values(),
                    io.sallyport.fanout.core.AlertKind.values(),
                    io.sallyport.export.metrics.AlertKind.values(),
                    io.sallyport.consumer.metrics.AlertKind.values())
            .flatMap(Arrays::stream)
            .map(Enum::name)
            .collect(Collectors.toCollection(TreeSet::new));

    /** Kinds whose rule goes by the series behind them, and so ends with its cause. */
    private static final Set<String> BY_SERIES = Set.of("CLOCK_SKEW", "CONSUMER_LAG", "RAW_LAG");

    private static final Pattern NAMED = Pattern.compile("kind=~?\"([A-Z_|0-9]+)\"");
    private static final Pattern EXCEPTED = Pattern.compile("kind!~\"([A-Z_|0-9]+)\"");
    private static final Pattern QUOTED = Pattern.compile("`([A-Z_]+)`");

    private static final List<Node> ALERTS = Repository.yaml("observability/rules/sallyport.yml")
            .at("groups")
            .items()
            .flatMap(group -> group.at("rules").items())
            .filter(rule -> rule.at("alert").exists())
            .toList();

    private static Set<String> kinds(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .flatMap(found -> Arrays.stream(found.group(1).split("\\|")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldHaveARuleForEveryKind() {
        var named = new TreeSet<>(BY_SERIES);
        var excepted = new TreeSet<String>();
        for (Node alert : ALERTS) {
            named.addAll(kinds(NAMED, alert.at("expr").text()));
            excepted.addAll(kinds(EXCEPTED, alert.at("expr").text()));
        }

        assertThat(named).isEqualTo(DECLARED);
        assertThat(excepted).as("kinds that need no rule for the rest").isEqualTo(DECLARED);
    }

    @Test
    void shouldNameEveryKindInTheSectionsOfTheHandbook() {
        String handbook = Repository.text("docs/operations.md");
        var told = new HashSet<String>();
        for (Node alert : ALERTS) {
            String anchor = alert.at("annotations/runbook").text().replaceFirst(".*#", "");
            String section = handbook.replaceFirst("(?si).*\n### " + anchor + "\n(.*?)(\n##.*|$)", "$1");
            Set<String> inSection = kinds(QUOTED, section);
            assertThat(inSection)
                    .as("section of %s", alert.at("alert").text())
                    .containsAll(kinds(NAMED, alert.at("expr").text()));
            told.addAll(inSection);
            assertThat(section).contains("**Cause**", "**Do**");
        }

        assertThat(told).containsAll(DECLARED);
    }

    @Test
    void shouldExplainEveryKindInTheTableOfTheMetrics() {
        String table = Repository.text("docs/observability.md").replaceFirst("(?s).*\n## Alerts\n(.*?)\n## .*", "$1");
        Set<String> kinds = table.lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> kinds(QUOTED, line.split("\\|")[1]).stream())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(kinds).isEqualTo(DECLARED);
    }

    @Test
    void shouldTryEveryRuleThatGoesByAKind() {
        String tests = Repository.text("observability/tests/sallyport-test.yml");

        assertThat(ALERTS)
                .filteredOn(alert -> alert.at("expr").text().contains("kind"))
                .hasSizeGreaterThan(15)
                .allSatisfy(alert -> assertThat(tests)
                        .contains("alertname: " + alert.at("alert").text()));
    }

    @Test
    void shouldShowEveryKindOnADashboard() {
        var shown = new TreeSet<String>();
        boolean all = false;
        for (var file : Repository.files("observability/dashboards", ".json")) {
            String text = Repository.text(file).replace("\\\"", "\"");
            shown.addAll(kinds(NAMED, text));
            all |= text.contains("sum by (kind) (increase(sallyport_alerts_total[");
        }

        assertThat(shown).isNotEmpty().isSubsetOf(DECLARED);
        assertThat(all).as("a panel of all kinds").isTrue();
    }
}
