package io.sallyport.local.credentials;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files that nobody but their owner may read, from the moment they exist; on a file system without such rights, plain. */
final class OwnerOnly {
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private OwnerOnly() {}

    /** Makes the folder, or takes the rights of others from one that exists. */
    static void folder(Path dir) throws IOException {
        Files.createDirectories(dir.toAbsolutePath().getParent());
        if (Files.isDirectory(dir)) {
            if (POSIX) {
                Files.setPosixFilePermissions(dir, FOLDER);
            }
            return;
        }
        Files.createDirectory(dir, attributes(FOLDER));
    }

    /** Replaces the file as a whole, so that a reader sees the old text or the new one. */
    static void write(Path file, String text) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        try (var channel = Files.newByteChannel(
                part, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes(FILE))) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static FileAttribute<?>[] attributes(Set<PosixFilePermission> permissions) {
        return POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }
}
