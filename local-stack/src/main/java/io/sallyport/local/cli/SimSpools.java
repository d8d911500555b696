package io.sallyport.local.cli;

import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The spools of one fleet of the command line, which it has to itself while it runs. They outlive it: the next run is by
 * the same sensors, which go on with the next numbers.
 *
 * @param folder of the spools
 * @param prefix of the sensors' names
 */
record SimSpools(Path folder, String prefix, FileChannel lock) implements AutoCloseable {
    private static final int MOST_AT_ONCE = 100;

    /** For recorded sensors: they have the names of the recording, so that one run at a time can be all of them. */
    static SimSpools ofRecording(DataFolder data, String customer) throws IOException {
        return claim(data, customer, "replay", "")
                .orElseThrow(() -> new StackException(
                        "another sim replays sensors of " + customer + "; wait for its end, or use --spool memory"));
    }

    /** For generated sensors; while another run has those of the prefix, a number is added to it. */
    static SimSpools ofGenerated(DataFolder data, String customer, String prefix) throws IOException {
        for (int i = 1; i <= MOST_AT_ONCE; i++) {
            String names = i == 1 ? prefix : prefix + i + "-";
            Optional<SimSpools> claimed = claim(data, customer, "generated-" + names, names);
            if (claimed.isPresent()) {
                return claimed.get();
            }
        }
        throw new StackException(MOST_AT_ONCE + " fleets of " + customer + " run already");
    }

    private static Optional<SimSpools> claim(DataFolder data, String customer, String name, String prefix)
            throws IOException {
        Path folder = data.sim().resolve(customer).resolve(name);
        Files.createDirectories(folder.getParent());
        var channel = FileChannel.open(
                folder.resolveSibling(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            channel.close();
            return Optional.empty();
        }
        return Optional.of(new SimSpools(folder, prefix, channel));
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
