package io.sallyport.export.spill;

import io.sallyport.export.core.Row;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Stream;

/**
 * Sorts rows by {@link Row#ORDER}, more than memory holds: what was added is written as a sorted run to the local disk
 * when told to, and the runs are merged at the end. The files are this machine's alone; nothing depends on them after a
 * crash.
 */
public final class RunSorter implements AutoCloseable {
    /** Most runs that are merged at once: each costs a buffer. */
    private static final int MAX_RUNS = 64;

    private static final int BUFFER_BYTES = 128 << 10;

    private final Path folder;
    private final List<Path> runs = new ArrayList<>();
    private final List<Row> buffer = new ArrayList<>();
    private long bufferedBytes;
    private long bytes;
    private int nextRun;

    /** Takes sorted rows. */
    public interface Sink {
        void accept(Row row) throws IOException;
    }

    /** @param folder an own one; it is made, and removed by {@link #close} */
    public RunSorter(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
    }

    public void add(Row row) {
        buffer.add(row);
        bufferedBytes += row.memoryBytes();
        bytes += row.value().length;
    }

    /** What the rows that are not on the disk cost in memory. */
    public long bufferedBytes() {
        return bufferedBytes;
    }

    /** Of all rows, as they are in the log. */
    public long bytes() {
        return bytes;
    }

    /** Writes the rows that are in memory to the disk. */
    public void spill() throws IOException {
        if (buffer.isEmpty()) {
            return;
        }
        buffer.sort(Row.ORDER);
        Path run = nextRun();
        try (DataOutputStream out = open(run)) {
            for (Row row : buffer) {
                write(out, row);
            }
        }
        runs.add(run);
        buffer.clear();
        bufferedBytes = 0;
        if (runs.size() == MAX_RUNS) {
            Path merged = nextRun();
            try (DataOutputStream out = open(merged)) {
                merge(row -> write(out, row));
            }
            for (Path old : runs) {
                Files.delete(old);
            }
            runs.clear();
            runs.add(merged);
        }
    }

    /** Gives all rows in order. They stay, and can be given again. */
    public void sorted(Sink sink) throws IOException {
        if (runs.isEmpty()) {
            buffer.sort(Row.ORDER);
            for (Row row : buffer) {
                sink.accept(row);
            }
            return;
        }
        spill();
        merge(sink);
    }

    private void merge(Sink sink) throws IOException {
        var inputs = new ArrayList<RunReader>();
        try {
            var next = new PriorityQueue<RunReader>(Comparator.comparing(RunReader::row, Row.ORDER));
            for (Path run : runs) {
                var input = new RunReader(run);
                inputs.add(input);
                if (input.advance()) {
                    next.add(input);
                }
            }
            RunReader least;
            while ((least = next.poll()) != null) {
                sink.accept(least.row());
                if (least.advance()) {
                    next.add(least);
                }
            }
        } finally {
            for (RunReader input : inputs) {
                input.close();
            }
        }
    }

    private Path nextRun() {
        return folder.resolve("run-" + nextRun++);
    }

    private static DataOutputStream open(Path run) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(run), BUFFER_BYTES));
    }

    private static void write(DataOutputStream out, Row row) throws IOException {
        out.writeInt(row.value().length);
        out.write(row.value());
    }

    @Override
    public void close() throws IOException {
        buffer.clear();
        runs.clear();
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static final class RunReader implements AutoCloseable {
        private final DataInputStream in;
        private Row row = NO_ROW;
        private static final Row NO_ROW =
                new Row(new byte[0], io.sallyport.proto.log.v1.StructuredRecord.getDefaultInstance(), "");

        RunReader(Path run) throws IOException {
            in = new DataInputStream(new BufferedInputStream(Files.newInputStream(run), BUFFER_BYTES));
        }

        Row row() {
            return row;
        }

        boolean advance() throws IOException {
            int length;
            try {
                length = in.readInt();
            } catch (EOFException e) {
                return false;
            }
            var value = new byte[length];
            in.readFully(value);
            row = Row.parse(value).orElseThrow(() -> new IOException("a run of rows is damaged"));
            return true;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
