package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The alert on volumes knows each of them by the name that its claim will have. */
class VolumeRuleTest {
    private final List<Node> rules = Repository.yaml("k8s/components/monitoring/volume-rule.yaml")
            .at("spec/groups")
            .items()
            .flatMap(group -> group.at("rules").items())
            .toList();

    @Test
    void shouldWatchEveryVolumeOfACell() {
        String expression = rules.get(0).at("expr").text();
        var names = Pattern.compile(expression.replaceFirst("(?s).*persistentvolumeclaim=~\"([^\"]*)\".*", "$1"));

        assertThat(Stream.concat(claimsOfSets(), claimsOfBrokers()))
                .hasSizeGreaterThan(9)
                .allMatch(claim -> names.matcher(claim).matches());
        assertThat(PromQl.isBalanced(expression)).isTrue();
        assertThat(PromQl.series(expression))
                .containsExactlyInAnyOrder(
                        "kubelet_volume_stats_available_bytes", "kubelet_volume_stats_capacity_bytes");
    }

    @Test
    void shouldExplainItsAlertsInTheHandbook() {
        String handbook = Repository.text("docs/operations.md").toLowerCase(Locale.ROOT);

        assertThat(rules.stream().filter(rule -> rule.at("alert").exists()))
                .isNotEmpty()
                .allSatisfy(rule -> {
                    assertThat(handbook).contains(rule.at("alert").text().toLowerCase(Locale.ROOT));
                    assertThat(handbook)
                            .contains("\n### "
                                    + rule.at("annotations/runbook").text().replaceFirst(".*#", "") + "\n");
                });
    }

    /** Kubernetes: claim, set, ordinal. */
    private static Stream<String> claimsOfSets() {
        return Manifests.files().stream()
                .filter(file -> !file.startsWith(Repository.path("k8s/overlays/dev")))
                .flatMap(file -> Repository.documents(Repository.text(file)).stream())
                .filter(resource -> resource.kind().equals("StatefulSet"))
                .flatMap(set -> set.at("spec/volumeClaimTemplates")
                        .items()
                        .map(claim -> claim.name() + "-" + set.name() + "-0"));
    }

    /** Strimzi: data, volume, cluster, pool, node. */
    private static Stream<String> claimsOfBrokers() {
        List<Node> resources = Repository.documents(Repository.text("k8s/components/strimzi/kafka.yaml"));
        String cluster = Manifests.ofKind(resources, "Kafka").get(0).name();
        return Manifests.ofKind(resources, "KafkaNodePool").stream()
                .flatMap(pool -> pool.at("spec/storage/volumes")
                        .items()
                        .map(volume ->
                                "data-%s-%s-%s-0".formatted(volume.at("id").text(), cluster, pool.name())));
    }
}
