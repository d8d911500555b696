package io.sallyport.edge.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AlertsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Alerts.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private enum Kind {
        SEEN,
        NEVER_SEEN
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    @Test
    void shouldCountEachAndWriteFewLinesOfAFlood() {
        var alerts = new Alerts(meters, Kind.values());
        for (int i = 0; i < 1_000; i++) {
            alerts.raise(Kind.SEEN, "again");
        }
        alerts.count(Kind.SEEN);
        assertThat(meters.counter("sallyport.alerts", "kind", "SEEN").count()).isEqualTo(1_001);
        assertThat(lines.list).hasSizeBetween(1, 10);
        assertThat(lines.list.get(0).getFormattedMessage()).isEqualTo("alert SEEN: again");
        assertThat(meters.get("sallyport.alerts")
                        .tag("kind", "NEVER_SEEN")
                        .counter()
                        .count())
                .isZero();
    }

    @Test
    void shouldEscapeWhatComesFromOutside() {
        new Alerts(meters).raise(Kind.SEEN, "a\nalert FORGED: ${jndi}");
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("alert SEEN: a\\u000aalert FORGED: \\u0024{jndi}");
        assertThat(LogText.escape("a\nb\" count=9 \\é\0")).isEqualTo("a\\u000ab\\u0022 count=9 \\u005c\\u00e9\\u0000");
        assertThat(LogText.escape("x".repeat(10_000))).hasSizeLessThan(600);
    }
}
