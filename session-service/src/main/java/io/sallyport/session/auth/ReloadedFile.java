package io.sallyport.session.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A parsed file that is read again when it changes. A version that cannot be read or parsed is logged once and the last
 * good one stays: a half-written file must not end every session.
 */
final class ReloadedFile<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedFile.class);
    private static final long LOOK_INTERVAL_MS = 1_000;

    /** Turns the bytes of the file into its value. */
    interface Parser<T> {
        T parse(byte[] bytes) throws Exception;
    }

    private record Version(FileTime modified, long bytes, Object fileKey) {}

    private final Path path;
    private final Parser<T> parser;
    private Version version;
    private T value;
    private long lookedAtMs = Long.MIN_VALUE;

    /** @throws IllegalArgumentException where the file cannot be read or parsed now */
    ReloadedFile(Path path, Parser<T> parser) {
        this.path = path;
        this.parser = parser;
        try {
            this.version = versionOf(path);
            this.value = parser.parse(Files.readAllBytes(path));
        } catch (Exception e) {
            throw new IllegalArgumentException("cannot use " + path + ": " + e.getMessage(), e);
        }
    }

    /** The newest good value; looks at the file at most once a second. */
    synchronized T get(long nowMs) {
        if (lookedAtMs == Long.MIN_VALUE || nowMs - lookedAtMs >= LOOK_INTERVAL_MS || nowMs < lookedAtMs) {
            lookedAtMs = nowMs;
            reload();
        }
        return value;
    }

    private void reload() {
        try {
            Version found = versionOf(path);
            if (!found.equals(version)) {
                version = found;
                value = parser.parse(Files.readAllBytes(path));
                LOG.info("read {} again", path);
            }
        } catch (Exception e) {
            LOG.warn("{} changed and cannot be used, the version before stays: {}", path, e.toString());
        }
    }

    private static Version versionOf(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        Object key = attributes.fileKey();
        return new Version(attributes.lastModifiedTime(), attributes.size(), key == null ? "" : key);
    }
}
