package io.sallyport.export.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.verify.Ledger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedCheckpointsTest {
    @TempDir
    Path dir;

    @Test
    void shouldThinOutOldCopiesAndKeepTheNewOnes() throws Exception {
        Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofDays(3));
        for (int second = 0; second < 50; second++) {
            Path copy = dir.resolve("%019d-0000000a.checkpoint".formatted(second));
            Files.writeString(copy, "old");
            Files.setLastModifiedTime(copy, FileTime.from(hour.plusSeconds(second)));
        }
        Files.writeString(dir.resolve("notes.txt"), "somebody's own");
        var published = new PublishedCheckpoints(dir, new Alerts(new SimpleMeterRegistry()));
        var ledger = new Ledger(0, 0, "a");
        for (int i = 0; i < 3; i++) {
            var checkpoint = Ledger.checkpoint(ledger.segment(2));
            published.published(new CheckpointLog.Signed("note " + i, checkpoint));
        }

        try (var files = Files.list(dir)) {
            assertThat(files.map(file -> file.getFileName().toString().replaceFirst("-.*", "")))
                    .containsExactlyInAnyOrder("notes.txt", name(49), name(1), name(2), name(3));
        }
    }

    private static String name(long size) {
        return "%019d".formatted(size);
    }
}
