package io.sallyport.export.config;

import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.checkpoint.CopyPolicy;
import io.sallyport.export.checkpoint.kafka.CheckpointCoordinator;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.metrics.AlertKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The newest committed checkpoint, and the copies of them: see {@link CopyPolicy}. */
final class PublishedCheckpoints implements CheckpointCoordinator.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(PublishedCheckpoints.class);
    private static final long THIN_NANOS = TimeUnit.HOURS.toNanos(1);

    private final @Nullable Path copyDir;
    private final Alerts alerts;
    private volatile Optional<CheckpointLog.Signed> latest = Optional.empty();
    private volatile long publishedNanos = System.nanoTime();
    /** Of the coordinator's thread alone. */
    private long thinnedNanos = System.nanoTime() - THIN_NANOS;

    private volatile Optional<String> trouble = Optional.empty();

    PublishedCheckpoints(@Nullable Path copyDir, Alerts alerts) throws IOException {
        this.copyDir = copyDir == null ? null : Files.createDirectories(copyDir);
        this.alerts = alerts;
    }

    Optional<CheckpointLog.Signed> latest() {
        return latest;
    }

    /** Since the newest one was published, or since the start where there is none. */
    double ageMs() {
        return (System.nanoTime() - publishedNanos) / 1e6;
    }

    /** Why nothing is signed here; empty while all is well. */
    Optional<String> trouble() {
        return trouble;
    }

    @Override
    public void published(CheckpointLog.Signed checkpoint) {
        boolean changed = latest.filter(last -> last.checkpoint().equals(checkpoint.checkpoint()))
                .isEmpty();
        latest = Optional.of(checkpoint);
        publishedNanos = System.nanoTime();
        if (copyDir == null || !changed) {
            return;
        }
        // Sorted by name is sorted by time: the size only grows.
        Path copy = copyDir.resolve("%019d-%08x.checkpoint"
                .formatted(checkpoint.checkpoint().size(), checkpoint.note().hashCode()));
        try {
            Files.writeString(copy, checkpoint.note(), StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("{} is there already", copy);
        } catch (IOException e) {
            alerts.raise(
                    AlertKind.CHECKPOINT_NOT_COPIED,
                    "a checkpoint could not be copied: " + e.getClass().getSimpleName());
        }
        thin(copyDir);
    }

    /** Now and then. A place where nothing can be removed is as good: then there is one that does not fill up. */
    private void thin(Path folder) {
        if (System.nanoTime() - thinnedNanos < THIN_NANOS) {
            return;
        }
        thinnedNanos = System.nanoTime();
        var copies = new ArrayList<CopyPolicy.Copy>();
        try (var files = Files.newDirectoryStream(folder, "*.checkpoint")) {
            for (Path file : files) {
                copies.add(new CopyPolicy.Copy(
                        file.getFileName().toString(),
                        Files.getLastModifiedTime(file).toMillis()));
            }
            for (CopyPolicy.Copy surplus : CopyPolicy.surplus(copies, System.currentTimeMillis())) {
                Files.deleteIfExists(folder.resolve(surplus.name()));
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.info("older copies of checkpoints stay in {}: {}", folder, e.toString());
        }
    }

    @Override
    public void faulted(String why) {
        trouble = Optional.of(why);
        alerts.raise(AlertKind.PROOF_FAULT, why);
    }

    @Override
    public void fenced() {
        trouble = Optional.of("another instance signs");
    }
}
