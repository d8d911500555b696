package io.sallyport.export.work;

import io.sallyport.proto.log.v1.ProofSegment;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The segments of a range with their leaf hashes, on the local disk until the range is cut: by generation and index,
 * whatever the order in which they came, so that two workers make the same file of them.
 */
final class CoveredSegments implements AutoCloseable {
    private final Path folder;
    private final SortedMap<Integer, OutputStream> generations = new TreeMap<>(Integer::compareUnsigned);

    /** @param folder an own one, which exists */
    CoveredSegments(Path folder) {
        this.folder = folder;
    }

    void add(ProofSegment segment) throws IOException {
        OutputStream out = generations.get(segment.getGeneration());
        if (out == null) {
            out = new BufferedOutputStream(Files.newOutputStream(file(segment.getGeneration())));
            generations.put(segment.getGeneration(), out);
        }
        segment.writeDelimitedTo(out);
    }

    /** All of them as one file: each segment with its length as a varint before it. */
    Path finish() throws IOException {
        Path all = folder.resolve("segments");
        try (OutputStream out = Files.newOutputStream(all)) {
            for (var generation : generations.entrySet()) {
                generation.getValue().flush();
                Files.copy(file(generation.getKey()), out);
            }
        }
        return all;
    }

    private Path file(int generation) {
        return folder.resolve("segments-" + Integer.toUnsignedString(generation));
    }

    /** The files go with the folder. */
    @Override
    public void close() throws IOException {
        for (OutputStream out : generations.values()) {
            out.close();
        }
        generations.clear();
    }
}
