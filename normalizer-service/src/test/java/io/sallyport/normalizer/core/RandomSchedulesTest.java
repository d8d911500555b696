package io.sallyport.normalizer.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many random lives of one sensor, each checked against a model that knows nothing of watermarks or windows. */
class RandomSchedulesTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldCommitEachEventOnceAndExplainTheRest(long seed) {
        var world = new RandomSensor(seed, RandomSensor.Trouble.ALL);
        world.live(150);
        world.settle();
        world.verify();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldGiveNoMarkerWhereNothingIsLost(long seed) {
        var world = new RandomSensor(seed, RandomSensor.Trouble.HONEST);
        world.live(150);
        world.verify();
        assertThat(world.scenario.markers()).as("seed %d", seed).isEmpty();
        assertThat(world.scenario.quarantined()).as("seed %d", seed).isEmpty();
    }
}
