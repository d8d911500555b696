package io.sallyport.sim.fleet;

import io.sallyport.envelope.identity.SensorKey;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** A file of recorded events, one JSON object a line, gzip where its name ends in .gz. Read line by line. */
final class Recording {
    private static final int BUFFER_BYTES = 1 << 16;
    /** Far above any event: keeps a file that is no recording out of memory. */
    private static final int MAX_LINE_BYTES = 16 << 20;

    private final Path file;

    Recording(Path file) {
        this.file = file;
    }

    /** What is done with each event. */
    interface Visitor {
        void visit(RecordedLine line) throws InterruptedException;
    }

    /**
     * The sensors in order of appearance, and how many events each has.
     *
     * @throws IllegalArgumentException where a line is no event, or a sensor's name is no sensor id
     */
    Map<String, Long> sensors() throws IOException, InterruptedException {
        var counts = new LinkedHashMap<String, Long>();
        forEach(line -> {
            if (!SensorKey.isValidId(line.sensor())) {
                throw new IllegalArgumentException("the sensor's name is no sensor id");
            }
            counts.merge(line.sensor(), 1L, Long::sum);
        });
        return counts;
    }

    void forEach(Visitor visitor) throws IOException, InterruptedException {
        try (InputStream in = open()) {
            var line = new ByteArrayOutputStream();
            long number = 1;
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next != '\n') {
                    line.write(next);
                    if (line.size() > MAX_LINE_BYTES) {
                        throw new IllegalArgumentException(
                                at(number) + "longer than " + MAX_LINE_BYTES + " bytes, which no event is");
                    }
                    continue;
                }
                visit(line, number++, visitor);
            }
            visit(line, number, visitor);
        }
    }

    private void visit(ByteArrayOutputStream line, long number, Visitor visitor) throws InterruptedException {
        byte[] bytes = line.toByteArray();
        line.reset();
        if (new String(bytes, java.nio.charset.StandardCharsets.UTF_8).isBlank()) {
            return;
        }
        try {
            visitor.visit(RecordedLine.read(bytes));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(at(number) + e.getMessage(), e);
        }
    }

    private String at(long number) {
        return file.getFileName() + " line " + number + ": ";
    }

    private InputStream open() throws IOException {
        InputStream in = Files.newInputStream(file);
        return new BufferedInputStream(
                file.toString().endsWith(".gz") ? new GZIPInputStream(in, BUFFER_BYTES) : in, BUFFER_BYTES);
    }
}
