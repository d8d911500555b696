package io.sallyport.fanout.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.MessageType;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connected sensors have their entries a moment before those that are away. */
class HeadStartTest {
    private DeciderRig rig;

    @BeforeEach
    void start(@TempDir Path dir) {
        rig = new DeciderRig(dir);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void shouldGiveConnectedSensorsAHeadStartThatHoldsNobodyElseUp() {
        rig.connect("acme", 1_500);
        rig.publish("acme", "isolate", MessageType.RESPONSE_ACTION, DeciderRig.FLEET);
        rig.publish("acme", "release", MessageType.RESPONSE_ACTION, 1);
        rig.publish("acme", "policy", MessageType.CONFIG_UPDATE, DeciderRig.FLEET);
        rig.publish("globex", "policy", MessageType.CONFIG_UPDATE, 100);
        rig.driver.advanceWallClockTime(Duration.ofMillis(5));
        rig.driver.advanceWallClockTime(Duration.ofMillis(500));
        rig.read();
        assertThat(rig.of("acme", "isolate")).isEqualTo(2_000);
        assertThat(rig.of("acme", "release")).isZero();
        assertThat(rig.of("acme", "policy")).isEqualTo(2_000);
        assertThat(rig.of("globex", "policy")).isEqualTo(100);
        for (int i = 0; i < 1_500; i++) {
            assertThat(rig.msgIds("acme", "s-" + i)).containsExactlyInAnyOrder("isolate", "policy");
        }

        rig.driver.advanceWallClockTime(Duration.ofMillis(500));
        rig.pass();
        assertThat(rig.of("acme", "isolate")).isEqualTo(DeciderRig.FLEET);
        assertThat(rig.of("acme", "policy")).isEqualTo(DeciderRig.FLEET);
        assertThat(rig.msgIds("acme", "s-0").stream().filter(id -> !id.equals("policy")))
                .containsExactly("isolate", "release");
    }

    @Test
    void shouldWithdrawAMessageWithoutWaitingForItsHeadStart() {
        rig.connect("acme", 1_000);
        rig.publish("acme", "wrong", MessageType.RESPONSE_ACTION, DeciderRig.FLEET);
        rig.driver.advanceWallClockTime(Duration.ofMillis(5));
        rig.cancel("acme", "wrong");
        for (int i = 0; i < 10; i++) {
            rig.driver.advanceWallClockTime(Duration.ofMillis(5));
        }
        rig.read();
        assertThat(rig.of("acme", "wrong")).isEqualTo(1_000 + DeciderRig.FLEET);
    }
}
