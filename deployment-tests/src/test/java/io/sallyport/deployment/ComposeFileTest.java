package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The compose file against the schema of its specification, and against the rules that the schema does not know. */
class ComposeFileTest {
    private static final Set<String> JOBS = Set.of("credentials", "topics", "bucket", "cli");

    @TempDir
    private Path folder;

    @Test
    void shouldKeepTheSchemaOfTheSpecification() throws IOException {
        try (InputStream schema = ComposeFileTest.class.getResourceAsStream("/compose-spec/compose-spec.json")) {
            // Its id is a file's name, which the validator does not take for one.
            String text = new String(schema.readAllBytes(), StandardCharsets.UTF_8).replaceFirst("\"\\$id\": .*", "");
            var errors = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                    .getSchema(text, InputFormat.JSON)
                    .validate(ComposeFile.whole().json().toString(), InputFormat.JSON);

            assertThat(errors).isEmpty();
        }
    }

    @Test
    void shouldPublishOnlyOnTheLoopbackAddressAndEachPortOnce() {
        var published = new ArrayList<String>();
        ComposeFile.services()
                .forEach((name, service) -> service.at("ports").texts().forEach(port -> {
                    assertThat(port).as(name).matches("127\\.0\\.0\\.1:\\d+:\\d+");
                    published.add(port.substring(0, port.lastIndexOf(':')));
                }));

        assertThat(published).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void shouldAskEveryServiceForItsHealthWithoutAJvm() {
        ComposeFile.services().forEach((name, service) -> {
            if (!JOBS.contains(name)) {
                List<String> test = service.at("healthcheck/test").texts();
                assertThat(test).as(name).isNotEmpty();
                assertThat(String.join(" ", test)).as(name).doesNotContain("java", ".sh", "rpk", "kafka-");
            }
        });
    }

    @Test
    void shouldOrderTheStarts() {
        Map<String, Node> services = ComposeFile.services();
        for (String name : List.of("gateway-0", "gateway-1", "normalizer", "command-router", "fanout", "cold-export")) {
            Node after = service(services, name).at("depends_on");
            assertThat(after.at("topics/condition").text()).as(name).isEqualTo("service_completed_successfully");
            assertThat(after.at("credentials/condition").text()).as(name).isEqualTo("service_completed_successfully");
        }
        for (String broker : List.of("kafka-1", "kafka-2", "kafka-3")) {
            assertThat(service(services, "topics")
                            .at("depends_on")
                            .fields()
                            .get(broker)
                            .at("condition")
                            .text())
                    .isEqualTo("service_healthy");
        }
        services.forEach((name, service) -> service.at("depends_on")
                .fields()
                .keySet()
                .forEach(other -> assertThat(services).as(name).containsKey(other)));
    }

    @Test
    void shouldBoundMemoryAndTakeEveryRightAway() {
        ComposeFile.services().forEach((name, service) -> {
            assertThat(service.at("mem_limit").text()).as(name).isNotBlank();
            assertThat(service.at("cap_drop").texts()).as(name).containsExactly("ALL");
            assertThat(service.at("security_opt").texts()).as(name).contains("no-new-privileges:true");
            assertThat(service.at("image").text()).as(name).matches("[a-z0-9./-]+:v?[0-9][A-Za-z0-9._-]*");
            if (service.at("image").text().startsWith("sallyport/")) {
                assertThat(service.at("read_only").isTrue()).as(name).isTrue();
            }
            if (service.at("ulimits").exists()) {
                assertThat(service.at("ulimits/nofile/hard").number()).as(name).isLessThanOrEqualTo(20_000);
            }
        });
    }

    @Test
    void shouldShowTheSigningKeyToTheSignerAlone() {
        var readers = new HashSet<String>();
        ComposeFile.services().forEach((name, service) -> {
            if (service.at("volumes").texts().stream().anyMatch(mount -> mount.startsWith("checkpoint-key:"))) {
                readers.add(name);
            }
        });

        assertThat(readers).containsExactlyInAnyOrder("credentials", "cold-export");
    }

    /** What the command line is told of the stack is what there is, on the ports that are asked for health. */
    @Test
    void shouldTellTheCommandLineWhereEachPartIs() throws IOException {
        Map<String, Node> services = ComposeFile.services();
        var names = new HashSet<>(services.keySet());
        services.values()
                .forEach(service -> service.at("networks").fields().values().stream()
                        .flatMap(network -> network.at("aliases").texts().stream())
                        .forEach(names::add));
        Path run = Files.createDirectory(folder.resolve("run"));
        Files.copy(Repository.path("docker/stack.json"), run.resolve("stack.json"));
        Endpoints endpoints = Endpoints.of(new DataFolder(folder));

        List<String> all = new ArrayList<>(endpoints.management().values());
        all.addAll(List.of(
                endpoints.bootstrapServers(),
                endpoints.mtls(),
                endpoints.token(),
                endpoints.publishing().rest(),
                endpoints.publishing().grpc()));
        assertThat(all).allSatisfy(at -> assertThat(names).contains(at.substring(0, at.indexOf(':'))));
        endpoints
                .management()
                .forEach((part, at) -> assertThat(service(services, at.substring(0, at.indexOf(':')))
                                .at("build/args/HEALTH_PORT")
                                .text())
                        .as(part)
                        .isEqualTo(at.substring(at.indexOf(':') + 1)));
    }

    /** Naming a bucket is the one switch: it turns the store's profile on, and the export to it. */
    @Test
    void shouldExportToTheStoreWhereABucketIsNamed() {
        Map<String, Node> services = ComposeFile.services();
        Node export = service(services, "cold-export");

        assertThat(Repository.text(".env").lines())
                .contains("EXPORT_BUCKET=record", "COMPOSE_PROFILES=core,fleet,observability${EXPORT_BUCKET:+,s3}");
        assertThat(export.at("environment/EXPORT_BUCKET").text())
                .isEqualTo(service(services, "bucket").at("environment/BUCKET").text())
                .isEqualTo("${EXPORT_BUCKET:-}");
        assertThat(export.at("command").texts()).contains("--sallyport.export.s3.endpoint=http://store:8333");
        assertThat(export.at("depends_on/bucket/condition").text()).isEqualTo("service_completed_successfully");
        assertThat(export.at("depends_on/bucket/required").text()).isEqualTo("false");
        assertThat(service(services, "bucket").at("depends_on/store/condition").text())
                .isEqualTo("service_healthy");
    }

    @Test
    void shouldHoldNoSecret() {
        assertThat(Repository.text("docker-compose.yml").lines())
                .filteredOn(line -> line.matches("(?i).*(password|secret_?key|token)\\s*[:=].*"))
                .isEmpty();
        // What needs one reads it from a file that the job has made.
        assertThat(ComposeFile.services().get("grafana").at("environment").fields())
                .containsKey("GF_SECURITY_ADMIN_PASSWORD__FILE");
    }

    @Test
    void shouldDeclareEveryVolumeAndMountOnlyFilesThatThereAre() {
        Set<String> declared = ComposeFile.whole().at("volumes").fields().keySet();
        var used = new HashSet<String>();
        ComposeFile.services()
                .forEach((name, service) -> service.at("volumes").texts().forEach(mount -> {
                    String source = mount.substring(0, mount.indexOf(':'));
                    if (source.startsWith("./")) {
                        assertThat(Files.exists(Repository.path(source)))
                                .as("%s of %s", source, name)
                                .isTrue();
                        assertThat(mount).as(name).endsWith(":ro");
                    } else {
                        used.add(source);
                    }
                }));

        assertThat(used).isEqualTo(declared);
    }

    @Test
    void shouldRunTheImagesOfKubernetes() {
        Set<String> inCompose = images(ComposeFile.services().values().stream()
                .map(s -> s.at("image").text())
                .toList());
        Set<String> inKubernetes = images(Manifests.files().stream()
                .flatMap(file -> Repository.documents(Repository.text(file)).stream())
                .filter(Manifests::isWorkload)
                .flatMap(Manifests::containers)
                .map(container -> container.at("image").text())
                .toList());
        String version = Repository.text("pom.xml")
                .replaceFirst(
                        "(?s).*?<artifactId>sallyport</artifactId>\\s*<version>([^<]*?)(-SNAPSHOT)?</version>.*", "$1");

        assertThat(inKubernetes).isEqualTo(inCompose).allMatch(image -> image.endsWith(":" + version));
        assertThat(inCompose).hasSize(Repository.SERVICES.size() + 1);
    }

    @Test
    void shouldBuildEachImageFromTheServiceWhoseNameItHas() {
        var built = new HashMap<String, String>();
        ComposeFile.services().forEach((name, service) -> {
            String image = service.at("image").text();
            if (image.startsWith("sallyport/")) {
                String module = image.substring(image.indexOf('/') + 1, image.indexOf(':'));
                boolean tools = module.equals("tools");
                assertThat(service.at("build/target").text()).as(name).isEqualTo(tools ? "tools" : "service");
                assertThat(service.at("build/args/SERVICE").text()).as(name).isEqualTo(tools ? "" : module);
                built.put(module, name);
            }
        });

        assertThat(built.keySet()).containsAll(Repository.SERVICES);
    }

    private static Set<String> images(List<String> all) {
        return new HashSet<>(
                all.stream().filter(image -> image.startsWith("sallyport/")).toList());
    }

    private static Node service(Map<String, Node> services, String name) {
        Node service = services.get(name);
        assertThat(service).as(name).isNotNull();
        return service;
    }
}
