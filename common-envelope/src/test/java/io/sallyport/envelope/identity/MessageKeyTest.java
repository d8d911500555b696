package io.sallyport.envelope.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageKeyTest {
    @Test
    void shouldReadItsOwnTopicKey() {
        var key = new MessageKey("acme", "roll-out:2026.11_a");

        assertThat(MessageKey.fromTopicKey(key.topicKey())).contains(key);
        assertThat(key.topicKey(3)).isEqualTo("acme/roll-out:2026.11_a/3");
        assertThat(key.topicKey("s-1")).isEqualTo("acme/roll-out:2026.11_a/s-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "\u00e4", "a\n", "*"})
    void shouldRefuseWhatIsNoMsgId(String msgId) {
        assertThat(MessageKey.of("acme", msgId)).isEmpty();
        assertThatThrownBy(() -> new MessageKey("acme", msgId)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldTakeAMsgIdOf128BytesAndNotOneMore() {
        assertThat(MessageKey.of("acme", "x".repeat(128))).isPresent();
        assertThat(MessageKey.of("acme", "x".repeat(129))).isEmpty();
    }
}
