package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.fabric8.certmanager.api.model.v1.Certificate;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.strimzi.api.kafka.model.kafka.Kafka;
import io.strimzi.api.kafka.model.nodepool.KafkaNodePool;
import java.util.Map;
import java.util.Set;

/** The resources of operators, by the models that their own Java clients have. */
final class CustomResources {
    private record Kind(Class<?> model, Set<String> required) {}

    /** The models do not say which fields the operators' schemas require; these are them, of the spec. */
    private static final Map<String, Kind> KINDS = Map.of(
            "monitoring.coreos.com/v1 ServiceMonitor", new Kind(ServiceMonitor.class, Set.of("selector", "endpoints")),
            "monitoring.coreos.com/v1 PrometheusRule", new Kind(PrometheusRule.class, Set.of("groups")),
            "cert-manager.io/v1 Certificate",
                    new Kind(Certificate.class, Set.of("secretName", "issuerRef", "dnsNames")),
            "kafka.strimzi.io/v1 Kafka", new Kind(Kafka.class, Set.of("kafka")),
            "kafka.strimzi.io/v1 KafkaNodePool", new Kind(KafkaNodePool.class, Set.of("replicas", "roles", "storage")));

    /** The models keep what they do not know, to write it back; here it is to be refused. */
    private static final ObjectMapper STRICT = new ObjectMapper()
            .setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
                @Override
                public Boolean hasAnySetter(Annotated member) {
                    return false;
                }
            });

    private CustomResources() {}

    static boolean has(Node resource) {
        return KINDS.containsKey(key(resource));
    }

    static void validate(Node resource) {
        Kind kind = KINDS.get(key(resource));
        assertThat(kind).isNotNull();
        assertThat(resource.at("spec").fields().keySet()).as("%s", resource).containsAll(kind.required());
        try {
            STRICT.readValue(resource.json().toString(), kind.model());
        } catch (JsonProcessingException e) {
            throw new AssertionError(resource + ": " + e.getMessage(), e);
        }
    }

    private static String key(Node resource) {
        return resource.at("apiVersion").text() + " " + resource.kind();
    }
}
