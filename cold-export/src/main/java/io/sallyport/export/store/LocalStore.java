package io.sallyport.export.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A folder. A file is written under another name, forced to the disk, and linked to its own: a link either comes whole or
 * fails because there is one. The folder must lie on a file system that has hard links.
 */
public final class LocalStore implements ObjectStore {
    private static final int ATTEMPTS = 5;
    private static final String UNFINISHED = ".unfinished";
    /** Longer than any file takes to be written. */
    private static final Duration ABANDONED = Duration.ofDays(1);

    private final Path root;
    private final Path unfinished;

    public LocalStore(Path root) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        this.unfinished = this.root.resolve(UNFINISHED);
        Files.createDirectories(unfinished);
        removeAbandoned();
    }

    private void removeAbandoned() throws IOException {
        Instant before = Instant.now().minus(ABANDONED);
        try (Stream<Path> files = Files.list(unfinished)) {
            for (Path file : files.toList()) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public boolean create(String key, byte[] content) throws IOException {
        Path temporary = temporary();
        try (var file = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        return publish(temporary, key);
    }

    @Override
    public boolean create(String key, Path content) throws IOException {
        Path temporary = temporary();
        Files.copy(content, temporary);
        try (var file = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            file.force(true);
        }
        return publish(temporary, key);
    }

    private Path temporary() {
        return unfinished.resolve(UUID.randomUUID().toString());
    }

    private boolean publish(Path temporary, String key) throws IOException {
        try {
            Path target = path(key);
            Path folder = folder(target);
            for (int attempt = 1; ; attempt++) {
                try {
                    Files.createDirectories(folder);
                    Files.createLink(target, temporary);
                    break;
                } catch (NoSuchFileException e) {
                    // Whoever deleted the last file of the folder took the folder too, between the two steps.
                    if (attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
            force(folder);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** The name is on the disk too, and those of the folders that may be new. */
    private void force(Path folder) throws IOException {
        for (Path at = folder; at != null && at.startsWith(root); at = at.getParent()) {
            try (var channel = FileChannel.open(at, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public Optional<byte[]> read(String key) throws IOException {
        try {
            return Optional.of(Files.readAllBytes(path(key)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean download(String key, Path to) throws IOException {
        try {
            Files.copy(path(key), to, StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public List<String> list(String prefix, String after) throws IOException {
        Path folder = path(prefix);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(key -> key.compareTo(after) > 0)
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void delete(String key) throws IOException {
        Path file = path(key);
        Files.deleteIfExists(file);
        // Empty folders would look like partitions.
        for (Path at = file.getParent(); at != null && !at.equals(root); at = at.getParent()) {
            try (Stream<Path> files = Files.list(at)) {
                if (files.findAny().isPresent()) {
                    return;
                }
            } catch (NoSuchFileException e) {
                continue;
            }
            try {
                Files.deleteIfExists(at);
            } catch (java.nio.file.DirectoryNotEmptyException e) {
                return;
            }
        }
    }

    private Path path(String key) {
        Path path = root.resolve(key).normalize();
        if (key.isEmpty() || !path.startsWith(root) || path.equals(root) || path.startsWith(unfinished)) {
            throw new IllegalArgumentException("a key that leaves the folder");
        }
        return path;
    }

    private static Path folder(Path file) {
        Path folder = file.getParent();
        if (folder == null) {
            throw new IllegalArgumentException("a key without a folder");
        }
        return folder;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
