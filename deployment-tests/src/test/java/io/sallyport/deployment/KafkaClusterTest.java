package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The brokers of a cell, whose pods and policies Strimzi makes of its own resources: no rendering shows them. */
class KafkaClusterTest {
    private final List<Node> resources = Repository.documents(Repository.text("k8s/components/strimzi/kafka.yaml"));
    private final Node kafka = Manifests.ofKind(resources, "Kafka").get(0).at("spec/kafka");

    /** A namespace that enforces `restricted` lets no other pod in. */
    @Test
    void shouldKeepTheRestrictedStandardInEveryPod() {
        Node pod = kafka.at("template/pod/securityContext");
        assertThat(pod.at("runAsNonRoot").isTrue()).isTrue();
        assertThat(pod.at("runAsUser").number()).isPositive();
        assertThat(pod.at("seccompProfile/type").text()).isEqualTo("RuntimeDefault");
        for (String container : List.of("kafkaContainer", "initContainer")) {
            Node context = kafka.at("template/" + container + "/securityContext");
            assertThat(context.at("allowPrivilegeEscalation").text())
                    .as(container)
                    .isEqualTo("false");
            assertThat(context.at("capabilities/drop").texts()).as(container).contains("ALL");
        }
        // A template of a pool takes the place of the cluster's.
        assertThat(Manifests.ofKind(resources, "KafkaNodePool"))
                .hasSize(2)
                .allMatch(pool -> !pool.at("spec/template").exists());
    }

    @Test
    void shouldLetOnlyTheServicesToAListener() {
        assertThat(kafka.at("listeners").items())
                .isNotEmpty()
                .allSatisfy(
                        listener -> assertThat(listener.at("networkPolicyPeers").items())
                                .isNotEmpty()
                                .allMatch(NetworkPolicyTest::isOfTheServices));
    }

    @Test
    void shouldSpreadReplicasEvenlyOverThreeZones() {
        assertThat(kafka.at("rack/topologyKey").text()).isEqualTo("topology.kubernetes.io/zone");
        assertThat(Manifests.ofKind(resources, "KafkaNodePool"))
                .allMatch(pool -> pool.at("spec/replicas").number() % 3 == 0);
    }
}
