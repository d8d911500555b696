package io.sallyport.deployment;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** The files of this repository. */
final class Repository {
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    /** Services with an image of their own. */
    static final List<String> SERVICES =
            List.of("session-service", "normalizer-service", "command-router", "fanout-service", "cold-export");

    private Repository() {}

    /** Tests run in the folder of their module. */
    static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("docker-compose.yml")) ? here : here.getParent();
    }

    static Path path(String name) {
        return root().resolve(name);
    }

    static String text(String name) {
        return text(path(name));
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every document of a YAML text, as JSON; anchors and merge keys are resolved. */
    static List<Node> documents(String yaml) {
        // The bound is against files of strangers.
        var options = new LoaderOptions();
        options.setMaxAliasesForCollections(500);
        var documents = new ArrayList<Node>();
        for (Object document : new Yaml(options).loadAll(yaml)) {
            if (document != null) {
                documents.add(new Node(json(document)));
            }
        }
        return documents;
    }

    static Node yaml(String name) {
        return documents(text(name)).get(0);
    }

    static JsonElement json(@Nullable Object value) {
        return GSON.toJsonTree(value);
    }

    /** Files below a folder whose name ends so, in the order of their names. */
    static List<Path> files(String folder, String... endings) {
        try (Stream<Path> files = Files.walk(path(folder))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> Stream.of(endings).anyMatch(file.toString()::endsWith))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
