package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a schema does not see: every pod keeps the house's rules, and what goes together does. */
class ManifestPolicyTest {
    /** Secrets that whoever installs makes; docs/operations.md says how. */
    private static final Set<String> SECRETS_FROM_OUTSIDE =
            Set.of("gateway-tls", "ticket-keys", "sensor-trust", "publisher-trust", "checkpoint-key", "export-store");

    /** Images whose entry point writes to its own file system. */
    private static final String WRITES_ITS_ROOT = "apache/kafka";

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldRunNoPodAsRootOrWithRights(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        for (Node workload : workloads(resources)) {
            Node spec = Manifests.pod(workload).at("spec");
            assertThat(spec.at("securityContext/runAsNonRoot").isTrue())
                    .as("%s", workload)
                    .isTrue();
            assertThat(spec.at("securityContext/runAsUser").number())
                    .as("%s", workload)
                    .isPositive();
            assertThat(spec.at("securityContext/seccompProfile/type").text()).isEqualTo("RuntimeDefault");
            assertThat(spec.at("automountServiceAccountToken").text())
                    .as("%s", workload)
                    .isEqualTo("false");
            assertThat(List.of("hostNetwork", "hostPID", "hostIPC"))
                    .noneMatch(name -> spec.at(name).exists());
            Manifests.containers(workload).forEach(container -> {
                Node context = container.at("securityContext");
                assertThat(context.at("allowPrivilegeEscalation").text())
                        .as("%s", workload)
                        .isEqualTo("false");
                assertThat(context.at("capabilities/drop").texts()).contains("ALL");
                if (!container.at("image").text().startsWith(WRITES_ITS_ROOT)) {
                    assertThat(context.at("readOnlyRootFilesystem").isTrue())
                            .as("%s", workload)
                            .isTrue();
                    assertThat(mounts(container)).containsKey("/tmp");
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldBoundEveryContainerAndPinItsImage(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        for (Node workload : workloads(resources)) {
            Manifests.containers(workload).forEach(container -> {
                Node wanted = container.at("resources");
                assertThat(wanted.at("requests/cpu").exists())
                        .as("%s", workload)
                        .isTrue();
                assertThat(wanted.at("limits/memory").text())
                        .isEqualTo(wanted.at("requests/memory").text())
                        .isNotBlank();
                assertThat(container.at("image").text()).matches("[a-z0-9./-]+:v?[0-9][A-Za-z0-9._-]*");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldProbeEveryServiceAtAPortThatItHas(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        for (Node workload : workloads(resources)) {
            if (workload.kind().equals("Job") || workload.name().equals(Manifests.SHELL)) {
                continue;
            }
            Manifests.containers(workload).forEach(container -> {
                List<String> ports = container
                        .at("ports")
                        .items()
                        .map(port -> port.at("name").text())
                        .toList();
                for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
                    Node asked = container.at(probe);
                    assertThat(asked.exists()).as("%s of %s", probe, workload).isTrue();
                    String port = asked.at("httpGet/port").text()
                            + asked.at("tcpSocket/port").text();
                    assertThat(ports).as("%s of %s", probe, workload).contains(port);
                    assertThat(
                                    asked.at("timeoutSeconds").exists()
                                            ? asked.at("timeoutSeconds").number()
                                            : 1)
                            .as("%s of %s", probe, workload)
                            .isGreaterThanOrEqualTo(3);
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldSelectPodsThatThereAre(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        List<Node> pods = workloads(resources).stream().map(Manifests::pod).toList();
        for (Node resource : resources) {
            Node selector = switch (resource.kind()) {
                case "Service" -> resource.at("spec/selector");
                case "PodDisruptionBudget", "StatefulSet", "Deployment" -> resource.at("spec/selector/matchLabels");
                case "NetworkPolicy" -> resource.at("spec/podSelector/matchLabels");
                default -> resource.at("none");
            };
            if (!selector.exists() || selector.fields().containsKey("app.kubernetes.io/part-of")) {
                continue;
            }
            List<Node> selected =
                    pods.stream().filter(pod -> isSelected(pod, selector)).toList();
            assertThat(selected).as("pods of %s", resource).hasSize(1);
            if (resource.kind().equals("Service")) {
                assertServicePorts(resource, selected.get(0));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldReferToWhatThereIs(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        Set<String> services = names(resources, "Service");
        Set<String> accounts = names(resources, "ServiceAccount");
        for (Node workload : workloads(resources)) {
            Node spec = Manifests.pod(workload).at("spec");
            if (workload.kind().equals("StatefulSet")) {
                assertThat(services)
                        .as("%s", workload)
                        .contains(workload.at("spec/serviceName").text());
            }
            if (spec.at("serviceAccountName").exists()) {
                assertThat(accounts).contains(spec.at("serviceAccountName").text());
            }
            Set<String> volumes = Stream.concat(
                            spec.at("volumes")
                                    .items()
                                    .map(volume -> volume.at("name").text()),
                            workload.at("spec/volumeClaimTemplates").items().map(Node::name))
                    .collect(Collectors.toSet());
            Manifests.containers(workload)
                    .forEach(container ->
                            assertThat(volumes).containsAll(mounts(container).values()));
            spec.at("volumes")
                    .items()
                    .flatMap(volume -> Stream.concat(
                            Stream.of(volume.at("secret/secretName")),
                            volume.at("projected/sources").items().map(source -> source.at("secret/name"))))
                    .map(Node::text)
                    .filter(name -> !name.isEmpty())
                    .forEach(name -> assertThat(SECRETS_FROM_OUTSIDE).contains(name));
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldGiveADrainTheTimeThatTheServicesTake(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        for (String service : Repository.SERVICES) {
            Node workload = workload(resources, service);
            int before = Manifests.containers(workload)
                    .findFirst()
                    .orElseThrow()
                    .at("lifecycle/preStop/sleep/seconds")
                    .number();
            int grace = Manifests.pod(workload)
                    .at("spec/terminationGracePeriodSeconds")
                    .number();
            String phase = Repository.yaml(service + "/src/main/resources/" + service + ".yml")
                    .at("spring")
                    .json()
                    .toString()
                    .replaceFirst(".*timeout-per-shutdown-phase\":\"(\\d+)s\".*", "$1");

            assertThat(grace).as(service).isGreaterThan(before + Integer.parseInt(phase));
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldBudgetAndSpreadEveryService(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        for (String service : Repository.SERVICES) {
            Node workload = workload(resources, service);

            assertThat(names(resources, "PodDisruptionBudget")).contains(service);
            assertThat(Manifests.pod(workload)
                            .at("spec/topologySpreadConstraints")
                            .items()
                            .map(c -> c.at("topologyKey").text()))
                    .contains("topology.kubernetes.io/zone", "kubernetes.io/hostname");
        }
    }

    /** Of two signers the later fences the earlier; and who has the key can sign anything. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldGiveTheSigningKeyToOnePodAlone(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        List<Node> signers = workloads(resources).stream()
                .filter(workload -> Manifests.pod(workload)
                        .at("spec/volumes")
                        .items()
                        .anyMatch(
                                volume -> volume.at("secret/secretName").text().equals("checkpoint-key")))
                .toList();

        assertThat(signers).singleElement().satisfies(signer -> {
            assertThat(signer.kind()).isEqualTo("StatefulSet");
            assertThat(signer.at("spec/replicas").number()).isEqualTo(1);
            assertThat(signer.at("spec/persistentVolumeClaimRetentionPolicy/whenDeleted")
                            .text())
                    .isEqualTo("Retain");
        });
        assertThat(workloads(resources).stream()
                        .flatMap(Manifests::containers)
                        .filter(container ->
                                String.join(" ", container.at("args").texts()).contains("checkpoint.key-file")))
                .hasSize(1);
    }

    /** A folder belongs to one process. */
    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#deployments")
    void shouldExportFromMoreThanOnePodOnlyToABucket(Supplier<List<Node>> deployment) {
        List<Node> resources = deployment.get();
        long exporters = workloads(resources).stream()
                .filter(workload -> Manifests.containers(workload)
                        .anyMatch(container -> container.at("image").text().startsWith("sallyport/cold-export:")))
                .count();
        boolean bucket = resources.stream()
                .filter(resource -> resource.kind().equals("ConfigMap"))
                .anyMatch(map -> !map.at("data/EXPORT_BUCKET").text().isEmpty());

        assertThat(exporters).isPositive();
        assertThat(exporters > 1).isEqualTo(bucket);
    }

    @Test
    void shouldNeverScaleByLoadWhatKeepsThePartitionsOfTelemetry() {
        assertThat(Manifests.base()
                        .filter(r -> r.kind().equals("HorizontalPodAutoscaler"))
                        .map(Node::name))
                .containsExactly("fanout-service");
    }

    @Test
    void shouldKeepTheAddressesOfSensors() {
        Node sensors = Manifests.base()
                .filter(resource -> resource.name().equals("sensors"))
                .findFirst()
                .orElseThrow();

        assertThat(sensors.at("spec/type").text()).isEqualTo("LoadBalancer");
        assertThat(sensors.at("spec/externalTrafficPolicy").text()).isEqualTo("Local");
    }

    @Test
    void shouldDenyWhatNoArrowOfTheArchitectureAllows() {
        List<Node> policies =
                Manifests.base().filter(r -> r.kind().equals("NetworkPolicy")).toList();
        Node rest = policies.stream()
                .filter(p -> p.name().equals("nothing-else"))
                .findFirst()
                .orElseThrow();

        assertThat(rest.at("spec/policyTypes").texts()).containsExactly("Ingress", "Egress");
        assertThat(rest.at("spec").fields()).doesNotContainKeys("ingress", "egress");
        // Only one of them lets anybody in from anywhere: sensors, to the ports of the link.
        assertThat(policies)
                .filteredOn(policy -> policy.at("spec/ingress")
                        .items()
                        .anyMatch(rule -> !rule.at("from").exists()))
                .singleElement()
                .satisfies(policy -> assertThat(policy.at("spec/ingress")
                                .items()
                                .flatMap(r -> r.at("ports").items())
                                .map(p -> p.at("port").number()))
                        .containsExactlyInAnyOrder(7443, 7444));
    }

    private static void assertServicePorts(Node service, Node pod) {
        List<String> ports = pod.at("spec/containers")
                .items()
                .flatMap(container -> container.at("ports").items())
                .map(port -> port.at("name").text())
                .toList();
        service.at("spec/ports")
                .items()
                .forEach(port -> assertThat(ports)
                        .as("target ports of %s", service)
                        .contains(port.at("targetPort").text()));
    }

    private static boolean isSelected(Node pod, Node selector) {
        Map<String, Node> labels = pod.at("metadata/labels").fields();
        return selector.fields().entrySet().stream().allMatch(wanted -> {
            Node label = labels.get(wanted.getKey());
            return label != null && label.text().equals(wanted.getValue().text());
        });
    }

    private static Map<String, String> mounts(Node container) {
        return container
                .at("volumeMounts")
                .items()
                .collect(Collectors.toMap(
                        mount -> mount.at("mountPath").text(),
                        mount -> mount.at("name").text()));
    }

    private static List<Node> workloads(List<Node> resources) {
        List<Node> workloads = resources.stream().filter(Manifests::isWorkload).toList();
        assertThat(workloads).isNotEmpty();
        return workloads;
    }

    private static Node workload(List<Node> resources, String name) {
        return workloads(resources).stream()
                .filter(w -> w.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Set<String> names(List<Node> resources, String kind) {
        return resources.stream()
                .filter(resource -> resource.kind().equals(kind))
                .map(Node::name)
                .collect(Collectors.toSet());
    }
}
