package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import io.kubernetes.client.util.ModelMapper;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every manifest against the models of the Kubernetes API: unknown fields, wrong types and missing required fields. Custom
 * resources have no model here; of them the top level and the required fields are looked at, and no more.
 */
class ManifestSchemaTest {
    /** Fields of the spec that the operators' own schemas require. */
    private static final Map<String, Set<String>> CUSTOM = Map.of(
            "monitoring.coreos.com/v1 ServiceMonitor", Set.of("selector", "endpoints"),
            "monitoring.coreos.com/v1 PrometheusRule", Set.of("groups"),
            "cert-manager.io/v1 Certificate", Set.of("secretName", "issuerRef", "dnsNames"),
            "kafka.strimzi.io/v1 Kafka", Set.of("kafka"),
            "kafka.strimzi.io/v1 KafkaNodePool", Set.of("replicas", "roles", "storage"));

    static Stream<Path> files() {
        return Manifests.files().stream();
    }

    static Stream<String> overlays() {
        return Manifests.OVERLAYS.stream();
    }

    @ParameterizedTest
    @MethodSource("files")
    void shouldKeepTheSchemaInEachFile(Path file) {
        for (Node resource : Repository.documents(Repository.text(file))) {
            validate(resource);
        }
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void shouldKeepTheSchemaInEachOverlay(String overlay) {
        var resources = Manifests.rendered(overlay);

        assertThat(resources).hasSizeGreaterThan(20);
        resources.forEach(ManifestSchemaTest::validate);
    }

    @Test
    void shouldNoticeAnUnknownField() {
        var wrong = Repository.documents("""
                        apiVersion: v1
                        kind: Service
                        metadata: {name: x}
                        spec: {selector: {a: b}, porst: []}
                        """).get(0);

        assertThatThrownBy(() -> validate(wrong)).hasMessageContaining("porst");
    }

    private static void validate(Node resource) {
        String version = resource.at("apiVersion").text();
        assertThat(resource.name()).as("name of a " + resource.kind()).matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
        Set<String> required = CUSTOM.get(version + " " + resource.kind());
        if (required != null) {
            assertThat(resource.fields().keySet())
                    .as("%s", resource)
                    .isSubsetOf("apiVersion", "kind", "metadata", "spec");
            assertThat(resource.at("spec").fields().keySet()).as("%s", resource).containsAll(required);
            return;
        }
        Class<?> model = ModelMapper.getApiTypeClass(version, resource.kind());
        assertThat(model).as("a model of %s %s", version, resource.kind()).isNotNull();
        try {
            model.getMethod("validateJsonElement", JsonElement.class).invoke(null, resource.json());
        } catch (InvocationTargetException e) {
            throw new AssertionError(resource + ": " + e.getCause().getMessage(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the client has no validation of " + model, e);
        }
    }
}
