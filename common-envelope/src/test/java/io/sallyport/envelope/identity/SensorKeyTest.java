package io.sallyport.envelope.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SensorKeyTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "../cust-b",
                "a/b",
                "/cust-b",
                "cust-b/",
                "a=b",
                ".",
                "..",
                "a..b",
                "a%",
                "a b",
                "#",
                "+",
                "*",
                "s-*",
                "s-1 ",
                "-a",
                "_a",
                "__HIVE_DEFAULT_PARTITION__",
                "s\0x",
                "s\nx",
                "s\u001b[2J",
                "\u00e9",
                "\u0663",
                "${jndi:ldap://127.0.0.1:9/x}"
            })
    void shouldRefuseWhatIsSpecialInPathsLogsOrTopics(String id) {
        assertThat(SensorKey.isValidId(id)).isFalse();
        assertThat(SensorKey.of("acme", id)).isEmpty();
        assertThat(SensorKey.of(id, "s-1")).isEmpty();
        assertThatThrownBy(() -> new SensorKey("acme", id)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldTakeUpToSixtyFourBytesAndNotOneMore() {
        assertThat(SensorKey.isValidId("a".repeat(64))).isTrue();
        assertThat(SensorKey.isValidId("a".repeat(65))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "cust-b", "s_1", "host.corp.com", "A", "a.", "a-"})
    void shouldTakeOrdinaryIds(String id) {
        assertThat(SensorKey.of("acme", id)).contains(new SensorKey("acme", id));
    }

    @Test
    void shouldKeepCaseAndGiveItsKeyBack() {
        var key = new SensorKey("Acme", "s-1");
        assertThat(key).isNotEqualTo(new SensorKey("acme", "s-1"));
        assertThat(key.topicKey()).isEqualTo("Acme/s-1");
        assertThat(SensorKey.fromTopicKey(key.topicKey())).contains(key);
        assertThat(key.uriSan()).isEqualTo("sensor://Acme/s-1");
        assertThat(SensorKey.fromTopicKey("acme")).isEmpty();
        assertThat(SensorKey.fromTopicKey("acme/s/1")).isEmpty();
    }
}
