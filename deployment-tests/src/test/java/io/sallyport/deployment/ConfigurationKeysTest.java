package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.export.config.ExportProperties;
import io.sallyport.fanout.config.FanoutProperties;
import io.sallyport.normalizer.config.NormalizerProperties;
import io.sallyport.router.config.RouterProperties;
import io.sallyport.session.config.SessionProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/** The settings that compose and Kubernetes mount, bound as the services bind them. */
class ConfigurationKeysTest {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([A-Z_]+):?}");

    enum Service {
        SESSION("session-service", "sallyport.session", SessionProperties.class),
        NORMALIZER("normalizer-service", "sallyport.normalizer", NormalizerProperties.class),
        ROUTER("command-router", "sallyport.router", RouterProperties.class),
        FANOUT("fanout-service", "sallyport.fanout", FanoutProperties.class),
        EXPORT("cold-export", "sallyport.export", ExportProperties.class);

        final String module;
        final String prefix;
        final Class<?> properties;

        Service(String module, String prefix, Class<?> properties) {
            this.module = module;
            this.prefix = prefix;
            this.properties = properties;
        }

        String file() {
            return "k8s/base/config/" + module + ".yml";
        }
    }

    private static final Map<String, Object> VARIABLES = Map.of(
            "ZONE", "eu-1a",
            "KAFKA_BOOTSTRAP_SERVERS", "kafka:9092",
            "NODE_ORDINAL", "5",
            "TOPIC_SIZING", "cell",
            "CELL", "north",
            "TOKEN_ISSUER", "sallyport",
            "EXPORT_BUCKET", "record",
            "EXPORT_REGION", "eu-central-1");

    /** Any text is a name of a bucket, to the service: what is missing here fails at the first request. */
    private static final Set<String> SEEN_BY_THE_STORE = Set.of("EXPORT_BUCKET", "EXPORT_REGION");

    @ParameterizedTest
    @EnumSource
    void shouldBindEveryKeyOfItsPrefix(Service service) throws IOException {
        var environment = environment(new FileSystemResource(Repository.path(service.file())), VARIABLES);

        Object bound = bind(service, environment);

        assertThat(bound.toString()).contains("kafka:9092", "CELL", "rack=eu-1a");
        assertThat(bound.toString())
                .contains(
                        placeholders(service).contains("NODE_ORDINAL")
                                ? "5"
                                : "bucket=record, prefix=north/, region=eu-central-1");
    }

    /** One cell is one name: the segments that the normalizer writes under it are what the export signs. */
    @Test
    void shouldTellTheCellToAllWhoWriteTheProof() throws IOException {
        var normalizer = environment(new FileSystemResource(Repository.path(Service.NORMALIZER.file())), VARIABLES);
        var export = environment(new FileSystemResource(Repository.path(Service.EXPORT.file())), VARIABLES);

        assertThat(((NormalizerProperties) bind(Service.NORMALIZER, normalizer)).cell())
                .isEqualTo("north");
        assertThat(((ExportProperties) bind(Service.EXPORT, export)).cell()).isEqualTo("north");
    }

    @Test
    void shouldExportToAFolderWhereThereIsNoBucket() throws IOException {
        var variables = new HashMap<>(VARIABLES);
        variables.put("EXPORT_BUCKET", "");
        var environment = environment(new FileSystemResource(Repository.path(Service.EXPORT.file())), variables);

        var bound = (ExportProperties) bind(Service.EXPORT, environment);

        assertThat(bound.s3().bucket()).isEmpty();
        assertThat(bound.folder()).hasToString("/data/export");
    }

    /** Kubernetes gives an empty text where a pod has no such label. */
    @ParameterizedTest
    @EnumSource
    void shouldReadFromTheLeadersWhereNobodyTellsTheZone(Service service) throws IOException {
        var variables = new HashMap<>(VARIABLES);
        variables.put("ZONE", "");
        var environment = environment(new FileSystemResource(Repository.path(service.file())), variables);

        assertThat(bind(service, environment).toString()).contains("rack=,");
    }

    @Test
    void shouldNotExportToAFolderBecauseTheBucketWasForgotten() throws IOException {
        var variables = new HashMap<>(VARIABLES);
        variables.remove("EXPORT_BUCKET");
        var environment = environment(new FileSystemResource(Repository.path(Service.EXPORT.file())), variables);

        assertThat(((ExportProperties) bind(Service.EXPORT, environment)).s3().bucket())
                .isNotEmpty();
    }

    /** The arguments that make a container the signer, in both places, and each a key that there is. */
    @Test
    void shouldSignByArgumentsThatThereAre() throws IOException {
        List<String> inCompose =
                ComposeFile.services().get("cold-export").at("command").texts();
        List<String> inKubernetes = Manifests.base()
                .filter(Manifests::isWorkload)
                .filter(workload -> workload.name().equals("cold-export"))
                .flatMap(Manifests::containers)
                .flatMap(container -> container.at("args").texts().stream())
                .toList();
        assertThat(inKubernetes).isNotEmpty();
        assertThat(inCompose).containsAll(inKubernetes);
        var environment = environment(new FileSystemResource(Repository.path(Service.EXPORT.file())), VARIABLES);
        environment
                .getPropertySources()
                .addFirst(new SimpleCommandLinePropertySource(inCompose.toArray(String[]::new)));

        var bound = (ExportProperties) bind(Service.EXPORT, environment);
        var signing = bound.checkpoint();

        assertThat(bound.s3().endpoint()).hasToString("http://store:8333");
        assertThat(signing.keyFile()).hasToString("/secrets/checkpoint/key.pem");
        assertThat(signing.copyDir()).hasToString("/checkpoints");
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseTheStartWithoutAnyOfItsVariables(Service service) throws IOException {
        assertThat(placeholders(service)).isSubsetOf(VARIABLES.keySet());
        for (String missing : placeholders(service)) {
            if (SEEN_BY_THE_STORE.contains(missing)) {
                continue;
            }
            var others = new HashMap<>(VARIABLES);
            others.remove(missing);
            var environment = environment(new FileSystemResource(Repository.path(service.file())), others);

            assertThatThrownBy(() -> bind(service, environment))
                    .as("without %s", missing)
                    .isNotNull();
        }
    }

    @Test
    void shouldNoticeAKeyThatThereIsNot() throws IOException {
        var environment = environment(
                new ByteArrayResource("sallyport.router.instanse: 1".getBytes(StandardCharsets.UTF_8)), Map.of());

        assertThatThrownBy(() -> bind(Service.ROUTER, environment)).rootCause().hasMessageContaining("instanse");
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseOnlyKeysOfSpringBesideThem(Service service) throws IOException {
        Set<String> known = springKeys();
        for (PropertySource<?> source : load(new FileSystemResource(Repository.path(service.file())))) {
            for (String key : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                if (!key.startsWith(service.prefix + ".")) {
                    assertThat(known).as("keys of Spring").contains(key);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeGivenEveryVariableInKubernetes(Service service) {
        Set<String> wanted = placeholders(service);
        Node kustomization = Repository.yaml("k8s/base/kustomization.yaml");
        var given = new HashSet<String>();
        kustomization
                .at("configMapGenerator")
                .items()
                .filter(map -> map.at("name").text().equals("cell"))
                .flatMap(map -> map.at("literals").texts().stream())
                .forEach(literal -> given.add(literal.substring(0, literal.indexOf('='))));
        Node container = Manifests.base()
                .filter(Manifests::isWorkload)
                .filter(workload -> workload.name().equals(service.module))
                .flatMap(Manifests::containers)
                .findFirst()
                .orElseThrow();
        container
                .at("env")
                .items()
                .forEach(variable -> given.add(variable.at("name").text()));

        assertThat(container
                        .at("envFrom")
                        .items()
                        .map(from -> from.at("configMapRef/name").text()))
                .containsExactly("cell");
        assertThat(given).containsAll(wanted);
        assertThat(generatedFiles(kustomization)).contains("config/" + service.module + ".yml");
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeGivenEveryVariableInCompose(Service service) {
        List<Node> containers = ComposeFile.services().values().stream()
                .filter(container -> container.at("image").text().startsWith("sallyport/" + service.module + ":"))
                .toList();

        assertThat(containers).isNotEmpty().allSatisfy(container -> {
            assertThat(container.at("environment").fields())
                    .containsKeys(placeholders(service).toArray(String[]::new));
            assertThat(container.at("volumes").texts())
                    .contains("./" + service.file() + ":/app/config/" + service.module + ".yml:ro");
        });
        // An ordinal is of one node.
        assertThat(containers.stream().map(c -> c.at("environment/NODE_ORDINAL").text()))
                .doesNotHaveDuplicates();
    }

    /** Variables by which Spring would take settings that no file shows, and whose unknown names it does not refuse. */
    @Test
    void shouldSetNothingOfAServiceByAVariableOfItsOwn() {
        Set<String> names = new TreeSet<>();
        ComposeFile.services().forEach((name, service) -> {
            if (service.at("image").text().startsWith("sallyport/")) {
                names.addAll(service.at("environment").fields().keySet());
            }
        });
        Manifests.base()
                .filter(Manifests::isWorkload)
                .flatMap(Manifests::containers)
                .forEach(container -> container
                        .at("env")
                        .items()
                        .forEach(variable -> names.add(variable.at("name").text())));

        assertThat(names)
                .isNotEmpty()
                .noneMatch(name -> name.matches("(SALLYPORT|SPRING|SERVER|MANAGEMENT|LOGGING)_.*"));
    }

    private static List<String> generatedFiles(Node kustomization) {
        return kustomization
                .at("configMapGenerator")
                .items()
                .flatMap(map -> map.at("files").texts().stream())
                .toList();
    }

    private static Set<String> placeholders(Service service) {
        var names = new HashSet<String>();
        var found = PLACEHOLDER.matcher(Repository.text(service.file()));
        while (found.find()) {
            names.add(found.group(1));
        }
        return names;
    }

    private static Object bind(Service service, StandardEnvironment environment) {
        return Binder.get(environment)
                .bind(
                        service.prefix,
                        Bindable.of(service.properties),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                .get();
    }

    private static StandardEnvironment environment(Resource file, Map<String, Object> variables) throws IOException {
        var environment = new StandardEnvironment();
        List.copyOf(environment.getPropertySources().stream()
                        .map(PropertySource::getName)
                        .toList())
                .forEach(environment.getPropertySources()::remove);
        environment.getPropertySources().addLast(new MapPropertySource("variables", new HashMap<>(variables)));
        load(file).forEach(environment.getPropertySources()::addLast);
        return environment;
    }

    private static List<PropertySource<?>> load(Resource file) throws IOException {
        return new YamlPropertySourceLoader().load("file", file);
    }

    private static Set<String> springKeys() throws IOException {
        var keys = new HashSet<String>();
        for (URL metadata : Collections.list(Thread.currentThread()
                .getContextClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = metadata.openStream();
                    var reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
                new Node(com.google.gson.JsonParser.parseReader(reader))
                        .at("properties")
                        .items()
                        .forEach(property -> keys.add(property.at("name").text()));
            }
        }
        return keys;
    }
}
