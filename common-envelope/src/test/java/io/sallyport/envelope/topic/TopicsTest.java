package io.sallyport.envelope.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.log.v1.EventType;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class TopicsTest {
    @Test
    void shouldNameEachTopicOnce() {
        var names = new HashSet<String>();
        for (TopicSpec<?> topic : Topics.all()) {
            assertThat(names.add(topic.name())).as(topic.name()).isTrue();
            assertThat(Topics.named(topic.name())).contains(topic);
        }
        assertThat(Topics.named("no-such-topic")).isEmpty();
    }

    @Test
    void shouldTakeTheLargestFrameAsOneRawRecord() {
        assertThat(Topics.RAW.maxMessageBytes())
                .isGreaterThanOrEqualTo(LinkLimits.DEFAULTS.maxFrameBytes() + 32 * 1024);
        assertThat(Topics.QUARANTINE.maxMessageBytes()).isGreaterThan(Topics.RAW.maxMessageBytes());
        assertThat(Topics.DEAD_LETTERS.maxMessageBytes()).isGreaterThan(Topics.STRUCTURED.maxMessageBytes());
    }

    @Test
    void shouldNeverLoseWhatACellHasAcknowledged() {
        for (TopicSpec<?> topic : Topics.all()) {
            assertThat(topic.configs(TopicSizing.CELL))
                    .as(topic.name())
                    .containsEntry("min.insync.replicas", "2")
                    .containsEntry("unclean.leader.election.enable", "false")
                    .containsEntry("message.timestamp.type", "LogAppendTime");
        }
        assertThat(TopicSizing.CELL.replication()).isEqualTo(3);
    }

    @Test
    void shouldKeepEachTierAsLongAsTheDesignSays() {
        assertThat(Topics.RAW.configs(TopicSizing.CELL)).containsEntry("retention.ms", "7200000");
        assertThat(Topics.STRUCTURED.configs(TopicSizing.CELL))
                .containsEntry("retention.ms", "604800000")
                .doesNotContainKeys("remote.storage.enable", "local.retention.ms");
        assertThat(Topics.STRUCTURED.configs(TopicSizing.CELL.withTieredStorage()))
                .containsEntry("retention.ms", "604800000")
                .containsEntry("remote.storage.enable", "true")
                .containsEntry("local.retention.ms", "86400000");
        assertThat(RetentionTier.COLD.retention().toDays()).isEqualTo(90);
        assertThat(Topics.PROOF_SEGMENTS.retention())
                .as("what stands in the files is checked against them")
                .isGreaterThan(RetentionTier.COLD.retention());
    }

    @Test
    void shouldTierStructuredAlone() {
        for (TopicSpec<?> topic : Topics.all()) {
            assertThat(topic.configs(TopicSizing.CELL.withTieredStorage()).containsKey("remote.storage.enable"))
                    .as(topic.name())
                    .isEqualTo(topic.equals(Topics.STRUCTURED));
            assertThat(topic.configs(TopicSizing.LOCAL)).as(topic.name()).doesNotContainKey("remote.storage.enable");
        }
    }

    @Test
    void shouldShareOnePartitionCountAmongTopicsThatAreJoinedBySensor() {
        for (TopicSizing sizing : new TopicSizing[] {TopicSizing.LOCAL, TopicSizing.CELL}) {
            assertThat(Topics.EPOCH_CLAIMS.partitions(sizing))
                    .isEqualTo(Topics.EPOCH_TABLE.partitions(sizing))
                    .isEqualTo(Topics.SESSIONS.partitions(sizing))
                    .isEqualTo(Topics.COMMAND_RESULTS.partitions(sizing));
            assertThat(Topics.RAW.partitions(sizing))
                    .isEqualTo(Topics.STRUCTURED.partitions(sizing))
                    .isEqualTo(sizing.shardsMax());
        }
    }

    @Test
    void shouldSeedTheElevenEventTypes() {
        var seeded = EventTypes.seeded();
        assertThat(seeded).hasSize(11);
        for (int i = 0; i < 11; i++) {
            EventType type = seeded.get(i);
            assertThat(type.getNumber()).isEqualTo(i + 1);
            assertThat(type.getInBatch()).isEqualTo(i > 0);
        }
    }
}
