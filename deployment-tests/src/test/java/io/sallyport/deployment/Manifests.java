package io.sallyport.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The manifests, as files and as overlays. Files are always read; an overlay is rendered where {@code kubectl} or {@code
 * kustomize} is installed, and the tests of rendered overlays are skipped, with that message, where neither is.
 */
final class Manifests {
    static final List<String> OVERLAYS = List.of("k8s/overlays/dev", "k8s/overlays/cell");

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
        String path = Repository.path(overlay).toString();
        for (List<String> command :
                List.of(List.of("kubectl", "kustomize", path), List.of("kustomize", "build", path))) {
            if (Tool.isInstalled(command.get(0))) {
                Tool.Result result = Tool.run(command);
                if (result.exit() != 0) {
                    throw new AssertionError(command + ": " + result.output());
                }
                return Repository.documents(result.output());
            }
        }
        Assumptions.abort("neither kubectl nor kustomize is installed: overlays are not rendered");
        return List.of();
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

        private Tool() {}

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
