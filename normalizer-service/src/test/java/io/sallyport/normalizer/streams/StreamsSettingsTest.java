package io.sallyport.normalizer.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;

class StreamsSettingsTest {
    private static Properties of(String rack) {
        var settings = new StreamsSettings(
                "127.0.0.1:1",
                "test",
                Path.of("state"),
                new StreamsSettings.Instance("n-0", rack, 10_000),
                1,
                100,
                3_600_000,
                TopicSizing.CELL);
        return settings.toProperties(Incarnation.FIRST);
    }

    @Test
    void shouldReadFromItsRackAndKeepItsStandbysInAnother() {
        var config = new StreamsConfig(of("zone-a"));

        assertThat(config.getMainConsumerConfigs("g", "c", 1)).containsEntry("client.rack", "zone-a");
        assertThat(config.getRestoreConsumerConfigs("c")).containsEntry("client.rack", "zone-a");
        assertThat(config.getList(StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG))
                .containsExactly("rack");
        assertThat(config.getClientTags()).containsEntry("rack", "zone-a");
    }

    @Test
    void shouldReadFromTheLeadersWhereThereIsNoRack() {
        var config = new StreamsConfig(of(""));

        assertThat(config.getMainConsumerConfigs("g", "c", 1)).doesNotContainKey("client.rack");
        assertThat(config.getClientTags()).isEmpty();
    }
}
