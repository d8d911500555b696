package io.sallyport.local.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What all benchmarks do: a folder of their own, a result as JSON. */
abstract class BenchRun extends Action {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "where to make the folder of the processes (default: the system's folder for such files)")
    private @Nullable Path work;

    @Override
    int execute() throws Exception {
        check();
        Path folder = work == null
                ? Files.createTempDirectory("sallyport-bench")
                : Files.createTempDirectory(Files.createDirectories(work), "sallyport-bench");
        // What a failed run leaves behind tells why it failed.
        err().println("bench: everything of this run is in " + folder);
        out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(measure(folder)));
        delete(folder);
        return DONE;
    }

    /** Refuses what is out of range. */
    abstract void check();

    abstract Map<String, Object> measure(Path folder) throws Exception;

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
