package io.sallyport.session.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochAuthorityStreamsTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    /** No broker answers: that it will serve once one does is enough, since this ends by itself. */
    @Test
    void shouldTellWhetherItServesOrWillAgain(@TempDir Path dir) {
        var member = EpochAuthorityStreams.member("127.0.0.1:1", 0, dir, "", TopicSizing.LOCAL);
        try (var authority = EpochAuthorityStreams.of(member, new EpochMeters(meters))) {
            assertThat(running()).isZero();
            authority.start();
            assertThat(running()).isEqualTo(1);
        }
        assertThat(running()).isZero();
    }

    private double running() {
        return meters.get("sallyport.epoch.authority.running").gauge().value();
    }
}
