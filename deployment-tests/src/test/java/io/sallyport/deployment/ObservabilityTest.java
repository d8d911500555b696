package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.TargetState;
import io.sallyport.router.core.Effect;
import io.sallyport.router.metrics.RouterMeters;
import io.sallyport.session.metrics.GatewayMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules and dashboards: every series is one that the code has, and every alert has its section in the handbook. */
class ObservabilityTest {
    private static final String RULES = "observability/rules/sallyport.yml";
    private final DeclaredMeters declared = new DeclaredMeters();

    private static List<Node> rules() {
        return Repository.yaml(RULES)
                .at("groups")
                .items()
                .flatMap(group -> group.at("rules").items())
                .toList();
    }

    private static List<Node> alerts() {
        return rules().stream().filter(rule -> rule.at("alert").exists()).toList();
    }

    private static List<String> dashboardExpressions() {
        var expressions = new ArrayList<String>();
        for (Path file : Repository.files("observability/dashboards", ".json")) {
            new Node(com.google.gson.JsonParser.parseString(Repository.text(file)))
                    .at("panels")
                    .items()
                    .flatMap(panel -> panel.at("targets").items())
                    .forEach(target -> expressions.add(target.at("expr").text()));
        }
        return expressions;
    }

    @Test
    void shouldNameOnlySeriesThatTheCodeOrARuleHas() {
        var recorded = new HashSet<String>();
        var expressions = new ArrayList<>(dashboardExpressions());
        for (Node rule : rules()) {
            recorded.add(rule.at("record").text());
            expressions.add(rule.at("expr").text());
        }

        assertThat(expressions).hasSizeGreaterThan(60).allMatch(PromQl::isBalanced);
        for (String expression : expressions) {
            assertThat(PromQl.series(expression))
                    .as(expression)
                    .isNotEmpty()
                    .allMatch(name -> name.equals("up") || recorded.contains(name) || declared.hasSeries(name));
        }
    }

    @Test
    void shouldNoticeASeriesThatThereIsNot() {
        assertThat(declared.hasSeries("sallyport_ack_latency_seconds_bucket")).isTrue();
        assertThat(declared.hasSeries("sallyport_ack_latencies_seconds_bucket")).isFalse();
        assertThat(PromQl.series("sum by (le) (rate(a_bucket{x=\"b\"}[5m])) / on (y) (c:d > bool 1) or e offset 5m"))
                .containsExactlyInAnyOrder("a_bucket", "c:d", "e");
    }

    @Test
    void shouldHaveTheBucketsThatTheObjectivesAreCountedBy() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var gateway = new GatewayMetrics(registry);
        gateway.acknowledged(1);
        gateway.customer("acme").spool(1, 1);
        var router = new RouterMeters(registry);
        router.pushed(Effect.Path.LIVE, QueueEntry.getDefaultInstance(), true, 1);
        router.queueIs(3);
        router.reached(TargetState.ACKED, QueueEntry.getDefaultInstance(), 1);

        assertThat(registry.scrape())
                .contains("sallyport_ack_latency_seconds_bucket{le=\"0.25\"}")
                .contains("sallyport_command_push_delay_seconds_bucket{")
                .contains("sallyport_command_answer_time_seconds_bucket{")
                .contains("sallyport_command_queue_length_bucket{le=\"256.0\"}")
                .contains("sallyport_spool_bytes_bucket{customer=\"acme\",le=");
    }

    @Test
    void shouldExplainEveryAlertInTheHandbook() {
        Set<String> anchors = new HashSet<>();
        Repository.text("docs/operations.md")
                .lines()
                .filter(line -> line.startsWith("#"))
                .forEach(line -> anchors.add(line.replaceFirst("#+ +", "")
                        .toLowerCase(java.util.Locale.ROOT)
                        .replace(' ', '-')));

        assertThat(alerts()).hasSizeGreaterThan(25).allSatisfy(alert -> {
            String runbook = alert.at("annotations/runbook").text();
            assertThat(runbook).startsWith("docs/operations.md#");
            assertThat(anchors).contains(runbook.substring(runbook.indexOf('#') + 1));
            assertThat(alert.at("labels/severity").text()).isIn("page", "ticket");
            assertThat(alert.at("annotations/summary").text()).isNotBlank();
        });
    }

    @Test
    void shouldGiveKubernetesTheSameRules() {
        Node operator = Repository.yaml("k8s/components/monitoring/prometheus-rule.yaml");

        assertThat(operator.at("spec/groups").json())
                .isEqualTo(Repository.yaml(RULES).at("groups").json());
    }

    @Test
    void shouldAnswerTheFourQuestions() {
        var titles = Repository.files("observability/dashboards", ".json").stream()
                .map(file -> new Node(com.google.gson.JsonParser.parseString(Repository.text(file))))
                .peek(dashboard -> assertThat(dashboard.at("panels").items()).allSatisfy(panel -> {
                    assertThat(panel.at("datasource/uid").text()).isEqualTo("prometheus");
                    assertThat(panel.at("targets").items()).isNotEmpty();
                }))
                .map(dashboard -> dashboard.at("title").text())
                .sorted()
                .toList();

        assertThat(titles)
                .containsExactly(
                        "1 Is telemetry flowing?",
                        "2 Is anything lost silently?",
                        "3 Is the command path working?",
                        "4 Is a tenant misbehaving?");
        assertThat(Repository.yaml("observability/grafana/datasources/prometheus.yml")
                        .at("datasources")
                        .items()
                        .map(source -> source.at("uid").text()))
                .containsExactly("prometheus");
    }

    @Test
    void shouldPassPromtool(@TempDir Path folder) throws IOException {
        String promtool = System.getenv().getOrDefault("PROMTOOL", "promtool");
        assumeTrue(
                Manifests.Tool.isInstalled(promtool), "promtool is not installed: rules are not parsed by Prometheus");
        var panels = new StringBuilder("groups:\n- name: panels\n  rules:\n");
        int i = 0;
        for (String expression : dashboardExpressions()) {
            panels.append("  - record: panel:x%d\n    expr: >-\n      %s\n".formatted(i++, expression));
        }
        Path dashboards = Files.writeString(folder.resolve("panels.yml"), panels);

        for (List<String> command : List.of(
                List.of(promtool, "check", "rules", RULES),
                List.of(promtool, "check", "rules", dashboards.toString()),
                List.of(promtool, "check", "config", "--syntax-only", "observability/prometheus.yml"),
                List.of(promtool, "test", "rules", "observability/tests/sallyport-test.yml"))) {
            Manifests.Tool.Result result = Manifests.Tool.run(command);
            assertThat(result.exit()).as("%s%n%s", command, result.output()).isZero();
        }
    }
}
