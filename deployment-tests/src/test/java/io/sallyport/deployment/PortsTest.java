package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One port is one number everywhere: in the service's own defaults, in the images, in compose and in Kubernetes. */
class PortsTest {
    record Ports(String service, int management, Set<Integer> all) {}

    static java.util.List<Ports> services() {
        return Repository.SERVICES.stream().map(PortsTest::declared).toList();
    }

    @ParameterizedTest
    @MethodSource("services")
    void shouldBeTheOnesOfTheServiceInKubernetes(Ports ports) {
        Node container = Manifests.base()
                .filter(Manifests::isWorkload)
                .filter(workload -> workload.name().equals(ports.service()))
                .flatMap(Manifests::containers)
                .findFirst()
                .orElseThrow();
        Map<String, Integer> named = container
                .at("ports")
                .items()
                .collect(Collectors.toMap(
                        p -> p.at("name").text(), p -> p.at("containerPort").number()));

        assertThat(named.values()).containsExactlyInAnyOrderElementsOf(ports.all());
        assertThat(named).containsEntry("management", ports.management());
        Manifests.base()
                .filter(resource -> resource.kind().equals("Service"))
                .filter(service -> service.at("spec/selector").fields().values().stream()
                        .anyMatch(label -> label.text().equals(ports.service())))
                .flatMap(service -> service.at("spec/ports").items())
                .forEach(
                        port -> assertThat(ports.all()).contains(port.at("port").number()));
    }

    @ParameterizedTest
    @MethodSource("services")
    void shouldBeTheOnesOfTheServiceInCompose(Ports ports) {
        ComposeFile.services().forEach((name, container) -> {
            if (container.at("image").text().startsWith("sallyport/" + ports.service() + ":")) {
                assertThat(container.at("build/args/HEALTH_PORT").text())
                        .isEqualTo(Integer.toString(ports.management()));
                container
                        .at("ports")
                        .texts()
                        .forEach(port -> assertThat(ports.all())
                                .as(name)
                                .contains(Integer.parseInt(port.substring(port.lastIndexOf(':') + 1))));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("services")
    void shouldBeScrapedAtTheManagementPort(Ports ports) {
        Node job = Repository.yaml("observability/prometheus.yml")
                .at("scrape_configs")
                .items()
                .filter(scrape -> scrape.at("job_name").text().equals(ports.service()))
                .findFirst()
                .orElseThrow();
        var targets = job.at("static_configs")
                .items()
                .flatMap(config -> config.at("targets").texts().stream())
                .toList();

        assertThat(targets).isNotEmpty().allSatisfy(target -> {
            assertThat(target).endsWith(":" + ports.management());
            assertThat(ComposeFile.services()).containsKey(target.substring(0, target.indexOf(':')));
        });
    }

    @Test
    void shouldOnlyLetPrometheusToManagementPorts() {
        Set<Integer> let = Manifests.base()
                .filter(policy -> policy.name().equals("prometheus-to-management"))
                .flatMap(policy -> policy.at("spec/ingress").items())
                .flatMap(rule -> rule.at("ports").items())
                .map(port -> port.at("port").number())
                .collect(Collectors.toSet());

        assertThat(let).isEqualTo(services().stream().map(Ports::management).collect(Collectors.toSet()));
    }

    /** From the service's own file, and from what is mounted above it. */
    private static Ports declared(String service) {
        Node own = Repository.yaml(service + "/src/main/resources/" + service + ".yml");
        Node mounted = Repository.yaml("k8s/base/config/" + service + ".yml");
        int server = own.at("server/port").number();
        var all = new java.util.HashSet<Integer>(Set.of(server));
        Node management = own.at("management/server/port");
        if (management.exists()) {
            all.add(management.number());
        }
        Node grpc = own.at("spring/grpc.server/port");
        if (grpc.exists()) {
            all.add(grpc.number());
        }
        for (String listener : java.util.List.of("mtls", "token")) {
            Node port = mounted.at("sallyport.session/listeners/" + listener + "/port");
            if (port.exists()) {
                all.add(port.number());
            }
        }
        return new Ports(service, management.exists() ? management.number() : server, all);
    }
}
