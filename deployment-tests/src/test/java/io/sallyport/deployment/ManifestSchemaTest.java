package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import io.kubernetes.client.util.ModelMapper;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every manifest against the models of the Kubernetes API and of the operators: unknown fields and wrong types. */
class ManifestSchemaTest {
    static Stream<Path> files() {
        return Manifests.files().stream();
    }

    @ParameterizedTest
    @MethodSource("files")
    void shouldKeepTheSchemaInEachFile(Path file) {
        for (Node resource : Repository.documents(Repository.text(file))) {
            validate(resource);
        }
    }

    @ParameterizedTest
    @MethodSource("io.sallyport.deployment.Manifests#overlays")
    void shouldKeepTheSchemaInEachOverlay(Supplier<List<Node>> overlay) {
        var resources = overlay.get();

        assertThat(resources).hasSizeGreaterThan(20);
        resources.forEach(ManifestSchemaTest::validate);
    }

    @ParameterizedTest
    @ValueSource(strings = {"""
                        apiVersion: v1
                        kind: Service
                        metadata: {name: x}
                        spec: {selector: {a: b}, porst: []}
                        """, """
                        apiVersion: kafka.strimzi.io/v1
                        kind: Kafka
                        metadata: {name: x}
                        spec: {kafka: {listeners: [{name: a, porst: 1}]}}
                        """, """
                        apiVersion: kafka.strimzi.io/v1
                        kind: KafkaNodePool
                        metadata: {name: x}
                        spec: {replicas: 1, roles: [broker], storage: {type: jbod, volumes: [{id: 0, type: ephemeral, porst: 1}]}}
                        """, """
                        apiVersion: cert-manager.io/v1
                        kind: Certificate
                        metadata: {name: x}
                        spec: {secretName: a, dnsNames: [b], issuerRef: {name: c, porst: d}}
                        """, """
                        apiVersion: monitoring.coreos.com/v1
                        kind: ServiceMonitor
                        metadata: {name: x}
                        spec: {selector: {}, endpoints: [{porst: a}]}
                        """, """
                        apiVersion: monitoring.coreos.com/v1
                        kind: PrometheusRule
                        metadata: {name: x}
                        spec: {groups: [{name: a, rules: [{porst: b}]}]}
                        """})
    void shouldNoticeAnUnknownFieldHoweverDeep(String manifest) {
        var wrong = Repository.documents(manifest).get(0);

        assertThatThrownBy(() -> validate(wrong)).hasStackTraceContaining("porst");
    }

    private static void validate(Node resource) {
        String version = resource.at("apiVersion").text();
        assertThat(resource.name()).as("name of a " + resource.kind()).matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
        if (CustomResources.has(resource)) {
            CustomResources.validate(resource);
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
