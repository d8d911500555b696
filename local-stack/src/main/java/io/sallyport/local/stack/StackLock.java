package io.sallyport.local.stack;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One stack per data folder. The operating system frees the lock with its process, also after {@code kill -9}. */
final class StackLock implements AutoCloseable {
    private final FileChannel channel;

    private StackLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws StackException where another stack has the folder */
    static StackLock take(DataFolder data) throws IOException {
        Files.createDirectories(data.run());
        Path file = data.run().resolve("stack.lock");
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            channel.close();
            String owner = Endpoints.find(data)
                    .map(endpoints -> " (process " + endpoints.pid() + ")")
                    .orElse("");
            throw new StackException("a stack" + owner + " already runs in " + data.root()
                    + "; stop it, or choose another folder with --data");
        }
        return new StackLock(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
