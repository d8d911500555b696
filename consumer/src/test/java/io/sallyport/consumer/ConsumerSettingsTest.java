package io.sallyport.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConsumerSettingsTest {
    private final ConsumerSettings settings = ConsumerSettings.of("127.0.0.1:9092", "detections");

    @Test
    void shouldAlertAtATenthOfSevenDays() {
        assertThat(settings.lag().alert()).isEqualTo(0.1);
        assertThat(settings.lag().retention()).isEqualTo(Duration.ofDays(7));
        assertThat(settings.retry().attempts()).isEqualTo(5);
    }

    @Test
    void shouldNotLetTheClientsSettingsBreakAPromise() {
        assertThatThrownBy(() -> settings.withClient(Map.of("isolation.level", "read_uncommitted", "acks", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("acks, isolation.level");
        assertThat(settings.withClient(Map.of("client.rack", "zone-a", "ssl.key.password", "secret-word")))
                .asString()
                .contains("client.rack")
                .doesNotContain("secret-word");
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThatThrownBy(() -> ConsumerSettings.of("", "g")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ConsumerSettings.of("a:1", "no/group")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withEventTypes(Set.of(0))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ConsumerSettings.Retry(0, Duration.ofMillis(1), Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ConsumerSettings.Lag(Double.NaN, Duration.ofDays(7)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
