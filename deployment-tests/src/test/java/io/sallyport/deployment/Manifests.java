package io.sallyport.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Named;

/**
 * The manifests, as files and as overlays. Files are always read; an overlay is rendered where {@code kubectl} is: on the
 * path, where the variable {@code KUBECTL} says, or where {@code .ci/kubectl} has laid it. Where it is not, each test of a
 * rendered overlay is skipped by itself and says so; on CI it fails.
 */
final class Manifests {
    static final List<String> OVERLAYS = List.of("k8s/overlays/dev", "k8s/overlays/cell");

    /** What serves nobody. */
    static final String SHELL = "tools";

    private static final Set<String> WORKLOADS = Set.of("StatefulSet", "Deployment", "Job");

    private Manifests() {}

    /** Files that hold whole resources: no settings, no patches, no kustomizations. */
    static List<Path> files() {
        return Repository.files("k8s", ".yaml").stream()
                .filter(file -> !file.endsWith("kustomization.yaml"))
                .filter(file -> !isPatch(file))
                .toList();
    }

    /** Whether a kustomization beside the file names it under {@code patches}. */
    static boolean isPatch(Path file) {
        Path folder = file.getParent();
        Node kustomization = Repository.documents(Repository.text(folder.resolve("kustomization.yaml")))
                .get(0);
        return kustomization
                .at("patches")
                .items()
                .anyMatch(patch ->
                        patch.at("path").text().equals(file.getFileName().toString()));
    }

    static List<Node> rendered(String overlay) {
        String kubectl = Tool.KUBECTL;
        if (!Tool.isInstalled(kubectl)) {
            Assumptions.abort(overlay + " is not rendered: there is no kubectl (.ci/kubectl fetches one)");
        }
        Tool.Result result =
                Tool.run(List.of(kubectl, "kustomize", Repository.path(overlay).toString()));
        if (result.exit() != 0) {
            throw new AssertionError(overlay + ": " + result.output());
        }
        return Repository.documents(result.output());
    }

    /** The overlays, rendered when they are asked for, so that one that cannot be is a test that was skipped. */
    static Stream<Named<Supplier<List<Node>>>> overlays() {
        return OVERLAYS.stream().map(overlay -> Named.of(overlay, () -> rendered(overlay)));
    }

    /** The base as files, and the overlays. */
    static Stream<Named<Supplier<List<Node>>>> deployments() {
        return Stream.concat(Stream.of(Named.of("k8s/base", () -> base().toList())), overlays());
    }

    static List<Node> ofKind(List<Node> resources, String kind) {
        return resources.stream()
                .filter(resource -> resource.kind().equals(kind))
                .toList();
    }

    /** What every deployment has, as it stands in the files. */
    static Stream<Node> base() {
        return files().stream()
                .filter(file -> file.startsWith(Repository.path("k8s/base")))
                .flatMap(file -> Repository.documents(Repository.text(file)).stream());
    }

    static boolean isWorkload(Node resource) {
        return WORKLOADS.contains(resource.kind());
    }

    static Node pod(Node workload) {
        return workload.at("spec/template");
    }

    static Stream<Node> containers(Node workload) {
        Node spec = pod(workload).at("spec");
        return Stream.concat(
                spec.at("initContainers").items(), spec.at("containers").items());
    }

    /** Outside programs that some machines have. */
    static final class Tool {
        record Result(int exit, String output) {}

        /** A name on the path, or a path. */
        static final String KUBECTL = kubectl();

        private Tool() {}

        private static String kubectl() {
            Path fetched = Repository.path("deployment-tests/target/kubectl/kubectl");
            return System.getenv()
                    .getOrDefault("KUBECTL", fetched.toFile().canExecute() ? fetched.toString() : "kubectl");
        }

        static boolean isInstalled(String name) {
            return name.contains("/")
                    ? Path.of(name).toFile().canExecute()
                    : Stream.of(System.getenv("PATH").split(":"))
                            .anyMatch(folder -> Path.of(folder, name).toFile().canExecute());
        }

        static Result run(List<String> command) {
            try {
                Process process = new ProcessBuilder(command)
                        .directory(Repository.root().toFile())
                        .redirectErrorStream(true)
                        .start();
                process.getOutputStream().close();
                String output =
                        new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
                return new Result(process.waitFor(), output);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
