package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ordered upgrade of the handbook: {@code kubectl apply -l} takes those resources of a rendering whose label it names. */
class RolloutTest {
    private static final Pattern STEP = Pattern.compile("(?m)^\\| \\d \\| `([a-z,-]+)` \\|");
    private static final String NAME = "app.kubernetes.io/name";

    /** The parts of each step, in the order of the handbook. */
    private static List<Set<String>> steps() {
        String upgrade = Repository.text("docs/operations.md").replaceFirst("(?s).*## Upgrade(.*?)\n## .*", "$1");
        return STEP.matcher(upgrade)
                .results()
                .map(step -> Set.of(step.group(1).split(",")))
                .toList();
    }

    @Test
    void shouldUpgradeReadersBeforeWriters() {
        assertThat(steps().stream().flatMap(Set::stream).distinct())
                .containsSubsequence("cell", "topics", "cold-export", "normalizer-service", "session-service")
                .containsSubsequence(
                        "cell", "topics", "cold-export", "command-router", "fanout-service", "session-service");
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldPutEveryResourceIntoOneStep(Supplier<List<Node>> overlay) {
        List<Node> resources = overlay.get();
        Set<String> parts = Stream.concat(steps().stream().flatMap(Set::stream), Stream.of("kafka"))
                .collect(Collectors.toSet());

        assertThat(resources).allSatisfy(resource -> assertThat(part(resource)).isIn(parts));
    }

    /** A service refuses a key that it does not know: the settings of a version never go out without its image. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldTakeTheSettingsOfAServiceInItsOwnStep(Supplier<List<Node>> overlay) {
        List<Node> resources = overlay.get();
        Map<String, String> settings = Manifests.ofKind(resources, "ConfigMap").stream()
                .collect(Collectors.toMap(Node::name, RolloutTest::part));
        List<Node> workloads = resources.stream().filter(Manifests::isWorkload).toList();
        for (Node workload : workloads) {
            Set<String> together = steps().stream()
                    .filter(step -> step.contains(part(workload)))
                    .findFirst()
                    .orElse(Set.of("kafka"));
            references(workload).forEach(name -> {
                assertThat(settings).as("%s", workload).containsKey(name);
                assertThat(settings.get(name))
                        .as("settings %s of %s", name, workload)
                        .satisfiesAnyOf(
                                part -> assertThat(part).isEqualTo("cell"),
                                part -> assertThat(together).contains(part));
            });
        }
        for (String service : Repository.SERVICES) {
            assertThat(resources.stream()
                            .filter(resource -> part(resource).equals(service))
                            .map(Node::kind))
                    .as(service)
                    .contains("ConfigMap", "StatefulSet", "Service", "PodDisruptionBudget");
        }
    }

    /** What the first step changes is nothing that a running pod reads: a changed setting has another name. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldNameSettingsByTheirContent(Supplier<List<Node>> overlay) {
        assertThat(Manifests.ofKind(overlay.get(), "ConfigMap"))
                .isNotEmpty()
                .allMatch(map -> map.name().matches(".*-[a-z0-9]{10}"));
    }

    /** Left out, a partition that held a rollout would hold every later one, too. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldEndAHeldRolloutWhenItIsAppliedAgain(Supplier<List<Node>> deployment) {
        assertThat(Manifests.ofKind(deployment.get(), "StatefulSet"))
                .filteredOn(set -> !set.name().equals("kafka"))
                .isNotEmpty()
                .allMatch(set -> set.at("spec/updateStrategy/rollingUpdate/partition")
                        .text()
                        .equals("0"));
    }

    private static String part(Node resource) {
        Node label = resource.at("metadata/labels").fields().get(NAME);
        return label == null ? "" : label.text();
    }

    private static Stream<String> references(Node workload) {
        return Stream.concat(
                        Manifests.containers(workload)
                                .flatMap(container -> container.at("envFrom").items())
                                .map(source -> source.at("configMapRef/name").text()),
                        Manifests.pod(workload)
                                .at("spec/volumes")
                                .items()
                                .map(volume -> volume.at("configMap/name").text()))
                .filter(name -> !name.isEmpty());
    }
}
