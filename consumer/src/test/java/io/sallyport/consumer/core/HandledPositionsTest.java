package io.sallyport.consumer.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.consumer.Position;
import org.junit.jupiter.api.Test;

class HandledPositionsTest {
    private final HandledPositions handled = new HandledPositions();

    @Test
    void shouldKnowWhatComesAgainByGeneration() {
        handled.add(new Position(3, 0, 10));

        assertThat(handled.isNew(new Position(3, 0, 10))).isFalse();
        assertThat(handled.isNew(new Position(3, 0, 9))).isFalse();
        assertThat(handled.isNew(new Position(3, 0, 11))).isTrue();
        assertThat(handled.isNew(new Position(3, 1, 4)))
                .as("another generation, read again from further back")
                .isTrue();
    }

    @Test
    void shouldComeBackFromItsBytes() {
        handled.add(new Position(3, 0, 10));
        handled.add(new Position(3, 0xffff_ffffL, Long.MAX_VALUE));

        assertThat(HandledPositions.decode(handled.encode())).isEqualTo(handled);
        assertThat(HandledPositions.decode(new byte[0])).isEqualTo(new HandledPositions());
        assertThatThrownBy(() -> HandledPositions.decode(new byte[17])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldStaySmall() {
        for (long generation = 0; generation < 1_000; generation++) {
            handled.add(new Position(0, generation, 7));
        }

        assertThat(handled.encode()).hasSize(16 * HandledPositions.MAX_GENERATIONS);
        assertThat(handled.isNew(new Position(0, 5, 8)))
                .as("a generation long gone")
                .isFalse();
        assertThat(handled.isNew(new Position(0, 999, 8))).isTrue();
    }
}
