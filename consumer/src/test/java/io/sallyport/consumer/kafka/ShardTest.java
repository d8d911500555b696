package io.sallyport.consumer.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.consumer.core.ShardProgress;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ShardTest {
    @Test
    void shouldNotTakeRecordsOfALogThatWasMadeAnewForHandled() {
        var shard = new Shard(new TopicPartition("structured", 3), ShardProgress.beginning(List.of()), null);
        shard.done(0, 1_000_000);
        assertThat(shard.progress().text()).contains("0:1000000");

        shard.beginAgain(List.of());

        assertThat(shard.progress().text())
                .isEqualTo(ShardProgress.beginning(List.of()).text());
    }
}
