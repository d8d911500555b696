package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who reaches whom in an overlay. A pod that no policy selects is open to the whole cluster. */
class NetworkPolicyTest {
    private static final String PART_OF = "app.kubernetes.io/part-of";

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldCloseEveryPodInBothDirections(Supplier<List<Node>> overlay) {
        List<Node> resources = overlay.get();

        assertThat(pods(resources)).isNotEmpty().allSatisfy(pod -> {
            for (String direction : List.of("Ingress", "Egress")) {
                assertThat(policies(resources, direction).filter(policy -> selects(policy, pod)))
                        .as("%s of %s", direction, pod.at("metadata/labels").json())
                        .isNotEmpty();
            }
        });
    }

    /** Kafka asks nobody for a name: these policies are all that keeps others from writing to it. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldLetOnlyTheServicesToKafka(Supplier<List<Node>> overlay) {
        List<Node> resources = overlay.get();
        List<Node> brokers = pods(resources)
                .filter(pod -> label(pod, "app.kubernetes.io/name").equals("kafka"))
                .toList();
        // Those of Strimzi are not in a rendering: KafkaClusterTest looks at its listeners.
        assertThat(brokers).hasSize(Manifests.ofKind(resources, "Kafka").isEmpty() ? 1 : 0);
        for (Node broker : brokers) {
            assertThat(label(broker, PART_OF)).isEmpty();
            assertThat(policies(resources, "Ingress").filter(policy -> selects(policy, broker)))
                    .isNotEmpty()
                    .flatMap(policy -> policy.at("spec/ingress").items().toList())
                    .allSatisfy(rule -> assertThat(rule.at("from").items())
                            .isNotEmpty()
                            .allMatch(NetworkPolicyTest::isOfTheServices));
        }
    }

    /** Labels of namespaces that whoever installs must know, since nothing sets them. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldNameInTheHandbookEachNamespaceThatIsLetIn(Supplier<List<Node>> overlay) {
        String install =
                Repository.text("docs/operations.md").replaceFirst("(?s).*## Install in Kubernetes(.*?)\n## .*", "$1");

        Manifests.ofKind(overlay.get(), "NetworkPolicy").stream()
                .flatMap(policy -> policy.at("spec/ingress").items())
                .flatMap(rule -> rule.at("from").items())
                .flatMap(peer -> peer.at("namespaceSelector/matchLabels").fields().entrySet().stream())
                .forEach(label -> assertThat(install)
                        .contains(
                                label.getKey().equals("kubernetes.io/metadata.name")
                                        ? "`" + label.getValue().text() + "`"
                                        : label.getKey() + "="
                                                + label.getValue().text()));
    }

    /** A peer of a rule: the pods of Sallyport in this namespace, and no others. */
    static boolean isOfTheServices(Node peer) {
        return peer.fields().keySet().equals(Set.of("podSelector"))
                && peer.at("podSelector").fields().keySet().equals(Set.of("matchLabels"))
                && label(peer.at("podSelector"), "matchLabels", PART_OF).equals("sallyport");
    }

    private static Stream<Node> pods(List<Node> resources) {
        return resources.stream().filter(Manifests::isWorkload).map(Manifests::pod);
    }

    private static Stream<Node> policies(List<Node> resources, String direction) {
        return Manifests.ofKind(resources, "NetworkPolicy").stream()
                .filter(policy -> policy.at("spec/policyTypes").texts().contains(direction));
    }

    private static boolean selects(Node policy, Node pod) {
        Node selector = policy.at("spec/podSelector");
        return selector.at("matchLabels").fields().entrySet().stream()
                        .allMatch(wanted -> label(pod, wanted.getKey())
                                .equals(wanted.getValue().text()))
                && selector.at("matchExpressions")
                        .items()
                        .allMatch(wanted -> wanted.at("operator").text().equals("In")
                                && wanted.at("values")
                                        .texts()
                                        .contains(label(pod, wanted.at("key").text())));
    }

    private static String label(Node pod, String name) {
        return label(pod.at("metadata"), "labels", name);
    }

    /** Names of labels have slashes, which separate the names of a path. */
    private static String label(Node parent, String field, String name) {
        Map<String, Node> labels = parent.at(field).fields();
        return labels.containsKey(name) ? labels.get(name).text() : "";
    }
}
