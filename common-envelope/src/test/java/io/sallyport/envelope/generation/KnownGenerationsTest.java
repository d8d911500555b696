package io.sallyport.envelope.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Replay;
import io.sallyport.proto.log.v1.Takeover;
import org.junit.jupiter.api.Test;

class KnownGenerationsTest {
    private static final Takeover FIRST_SHARD = Takeover.newBuilder()
            .setGeneration(3)
            .setShard(0)
            .setFromOffset(4)
            .setToOffset(8)
            .setSinceUs(17)
            .build();

    private static KnownGenerations known(Generations.Builder generations) {
        return KnownGenerations.parse(generations.build().toByteArray()).orElseThrow();
    }

    @Test
    void shouldTakeWhatWasReplacedOrGivenUpForEnded() {
        var known = known(Generations.newBuilder()
                .setLive(3)
                .setHighest(5)
                .setReplay(Replay.newBuilder().setGeneration(5)));

        assertThat(known.hasEnded(0)).as("replaced").isTrue();
        assertThat(known.hasEnded(2)).as("given up").isTrue();
        assertThat(known.hasEnded(3)).as("live").isFalse();
        assertThat(known.hasEnded(4)).as("given up").isTrue();
        assertThat(known.hasEnded(5)).as("on its way").isFalse();
        assertThat(known.hasEnded(6)).as("not heard of").isFalse();
        assertThat(KnownGenerations.FIRST.hasEnded(0)).isFalse();
        assertThat(KnownGenerations.FIRST.hasEnded(1)).isFalse();
        assertThat(known(Generations.newBuilder().setLive(-1).setHighest(-1)).hasEnded(0xffff_fffeL))
                .as("numbers are unsigned")
                .isTrue();
    }

    @Test
    void shouldTellTheTakeoversOfOneShard() {
        var known = known(Generations.newBuilder()
                .setRevision(9)
                .addTakeovers(FIRST_SHARD.toBuilder().setShard(1))
                .addTakeovers(FIRST_SHARD));

        assertThat(known.revision()).isEqualTo(9);
        assertThat(known.records(0)).containsExactly(FIRST_SHARD);
        assertThat(known.takeovers(0)).containsExactly(new ShardTakeover(3, 4, 8));
        assertThat(known.takeovers(2)).isEmpty();
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThat(KnownGenerations.parse(new byte[] {1, 2, 3})).isEmpty();
        var backwards =
                Generations.newBuilder().addTakeovers(FIRST_SHARD.toBuilder().setToOffset(1));
        assertThat(KnownGenerations.parse(backwards.build().toByteArray())).isEmpty();
    }
}
