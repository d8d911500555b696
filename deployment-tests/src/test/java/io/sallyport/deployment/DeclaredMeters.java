package io.sallyport.deployment;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.ColdExportApplication;
import io.sallyport.fanout.FanoutServiceApplication;
import io.sallyport.normalizer.NormalizerServiceApplication;
import io.sallyport.router.CommandRouterApplication;
import io.sallyport.session.SessionServiceApplication;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the services' class files say: names of meters. A name that is not in one is never registered. */
final class DeclaredMeters {
    /** What Prometheus' naming adds to a counter, a gauge, a timer and a summary. */
    private static final List<String> ENDINGS = List.of(
            "",
            "_total",
            "_bucket",
            "_count",
            "_sum",
            "_max",
            "_seconds_bucket",
            "_seconds_count",
            "_seconds_sum",
            "_seconds_max");

    private static final Pattern METER = Pattern.compile("sallyport(?:\\.[a-z]+)+");

    private final Set<String> meters = new HashSet<>();

    DeclaredMeters() {
        for (Class<?> of : List.of(
                SessionServiceApplication.class,
                NormalizerServiceApplication.class,
                CommandRouterApplication.class,
                FanoutServiceApplication.class,
                ColdExportApplication.class,
                Alerts.class,
                Topics.class)) {
            read(of);
        }
    }

    boolean hasSeries(String name) {
        return ENDINGS.stream()
                .filter(name::endsWith)
                .anyMatch(ending -> meters.contains(name.substring(0, name.length() - ending.length())));
    }

    private void read(Class<?> of) {
        try {
            Path place = Path.of(
                    of.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                readAll(place);
            } else {
                try (FileSystem jar =
                        FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), java.util.Map.of())) {
                    readAll(jar.getPath("/"));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void readAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".class"))::iterator) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                METER.matcher(text)
                        .results()
                        .forEach(found -> meters.add(found.group().replace('.', '_')));
            }
        }
    }
}
