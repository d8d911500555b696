package io.sallyport.local.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceProcessTest {
    @TempDir
    private Path dir;

    private ServiceProcess part = new ServiceProcess(new DataFolder(Path.of("")), "broker");

    @BeforeEach
    void nameIt() {
        part = new ServiceProcess(new DataFolder(dir), "broker");
    }

    @AfterEach
    void endIt() throws Exception {
        part.stop(0);
    }

    @Test
    void shouldBeFoundByItsPidFileUntilItEnds() throws Exception {
        ProcessHandle process = part.start(sleeper()).toHandle();
        assertThat(Files.readString(dir.resolve("run/broker.pid")).strip()).isEqualTo(Long.toString(process.pid()));
        assertThat(part.running()).hasValue(process);
        part.stop(5_000);
        assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(10));
        assertThat(dir.resolve("run/broker.pid")).doesNotExist();
    }

    @Test
    void shouldStartAgainWithTheSameCommandAfterAKill() throws Exception {
        ProcessHandle first = part.start(sleeper()).toHandle();
        part.kill();
        assertThat(part.running()).isEmpty();
        assertThat(dir.resolve("run/broker.pid")).exists();
        ProcessHandle second = part.startAgain().toHandle();
        assertThat(second.pid()).isNotEqualTo(first.pid());
        assertThat(part.running()).hasValue(second);
    }

    @Test
    void shouldNotTakeAnotherProcessForItself() throws Exception {
        Files.createDirectories(dir.resolve("run"));
        Files.writeString(dir.resolve("run/broker.pid"), ProcessHandle.current().pid() + "\n");
        assertThat(part.running()).isEmpty();
        Files.writeString(dir.resolve("run/broker.pid"), "no number");
        assertThat(part.running()).isEmpty();
    }

    @Test
    void shouldEndByForceAProcessThatIgnoresTheRequest() throws Exception {
        ProcessHandle process = part.start(
                        List.of("/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", part.mark()))
                .toHandle();
        part.stop(300);
        assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void shouldSayThatItWasNeverStarted() {
        assertThatThrownBy(() -> part.startAgain())
                .isInstanceOf(StackException.class)
                .hasMessageContaining("was never started");
    }

    private List<String> sleeper() {
        return List.of("/bin/sh", "-c", "sleep 600; :", part.mark());
    }
}
