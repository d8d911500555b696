package io.sallyport.consumer.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.consumer.core.ShardProgress;
import io.sallyport.envelope.generation.ShardTakeover;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ShardTest {
    @Test
    void shouldNotTakeRecordsOfALogThatWasMadeAnewForHandled() {
        var shard = new Shard(new TopicPartition("structured", 3), ShardProgress.beginning(), null);
        shard.done(0, 1_000_000);
        assertThat(shard.progress().text()).contains("0:1000000");

        shard.beginAgain();

        assertThat(shard.progress().text()).isEqualTo(ShardProgress.beginning().text());
    }

    @Test
    void shouldCommitNothingBeforeATakeoverThatNoRecordTellsOfWasTold() {
        var known = new ShardTakeover(1, 5, 9);
        var missed = new ShardTakeover(2, 7, 11);
        var shard = new Shard(new TopicPartition("structured", 3), ShardProgress.of("1 h 0:8 t 1:5:9"), null);
        assertThat(shard.toCommit(10)).isNotNull();

        shard.forgetTakeovers();
        assertThat(shard.toCommit(10)).as("there may be one").isNull();
        shard.learn(List.of(known, missed));
        assertThat(shard.untold()).isEqualTo(missed);
        assertThat(shard.toCommit(10)).isNull();
        shard.replaced(missed);

        assertThat(shard.hasUntold()).isFalse();
        assertThat(shard.toCommit(10).metadata()).isEqualTo("1 h 0:8 t 1:5:9 2:7:11");
    }

    @Test
    void shouldTellAllThatIsLostOnceAlsoWhereTheBrokersAreAhead() {
        var shard = new Shard(new TopicPartition("structured", 3), ShardProgress.of("1 h 0:99 t"), null);
        var ahead = new OffsetAndMetadata(100, "1 h 0:99 t");
        assertThat(shard.lostFrom(40, null)).isEqualTo(40);
        assertThat(shard.lostFrom(40, ahead))
                .as("at a takeover the shard went back, and has not committed that yet")
                .isEqualTo(40);

        OffsetAndMetadata behind = shard.telling(60);

        assertThat(behind).isEqualTo(new OffsetAndMetadata(60, "1 h 0:99 t"));
        assertThat(shard.lostFrom(40, ahead)).as("it was aborted").isEqualTo(40);
        assertThat(shard.lostFrom(40, behind)).as("it was committed, unseen").isEqualTo(60);
    }
}
