package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldBackTest {
    private static final int TYPE = 4;
    private static final int OTHER_TYPE = 1;
    private static final long NOW_MS = 1_000;

    private final HeldBack heldBack = new HeldBack();

    @Test
    void shouldHoldWhatIsNewerOfTheTypeUntilTheMissedOneHasCome() {
        heldBack.missed(TYPE, 8, NOW_MS);

        assertThat(heldBack.holds(TYPE, 9, NOW_MS)).isTrue();
        assertThat(heldBack.holds(OTHER_TYPE, 9, NOW_MS)).isFalse();
        assertThat(heldBack.holds(TYPE, 8, NOW_MS)).isFalse();

        heldBack.handedOver(TYPE, 8);
        assertThat(heldBack.holds(TYPE, 9, NOW_MS)).isFalse();
    }

    @Test
    void shouldNotWaitForWhatTheRouterHasWithdrawn() {
        heldBack.missed(TYPE, 8, NOW_MS);

        heldBack.openFrom(TYPE, 9);

        assertThat(heldBack.holds(TYPE, 9, NOW_MS)).isFalse();
    }

    @Test
    void shouldStillHoldBehindTheNextThatIsOpen() {
        heldBack.missed(TYPE, 8, NOW_MS);
        heldBack.missed(TYPE, 9, NOW_MS);

        heldBack.openFrom(TYPE, 9);

        assertThat(heldBack.holds(TYPE, 10, NOW_MS)).isTrue();
        heldBack.handedOver(TYPE, 9);
        assertThat(heldBack.holds(TYPE, 10, NOW_MS)).isFalse();
    }

    @Test
    void shouldNotHoldForEver() {
        heldBack.missed(TYPE, 8, NOW_MS);

        heldBack.openFrom(TYPE, 5);

        assertThat(heldBack.holds(TYPE, 9, NOW_MS + 74_999)).isTrue();
        assertThat(heldBack.holds(TYPE, 9, NOW_MS + 75_000)).isFalse();
    }
}
