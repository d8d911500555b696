package io.sallyport.envelope.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionIdTest {
    private static final long NOW_MS = 1_790_000_000_000L;

    @Test
    void shouldHoldTimeNodeAndCounter() {
        long id = SessionId.of(NOW_MS, 4095, 255);
        assertThat(SessionId.ms(id)).isEqualTo(NOW_MS);
        assertThat(SessionId.node(id)).isEqualTo(4095);
        assertThat(id & 0xFF).isEqualTo(255);
    }

    @Test
    void shouldMintAboveEverythingThatIsKnownOfTheSensor() {
        long known = SessionId.of(NOW_MS + 60_000, 4095, 255);
        long minted = SessionId.mint(NOW_MS, 0, 0, known, 0);
        assertThat(SessionId.isNewer(minted, known)).isTrue();
        assertThat(SessionId.node(minted)).isZero();
    }

    @Test
    void shouldMintAboveThePresentedSessionOnlyWhenItsTimeIsCredible() {
        long near = SessionId.of(NOW_MS + 5 * 60_000, 7, 9);
        assertThat(SessionId.isNewer(SessionId.mint(NOW_MS, 0, 0, 0, near), near))
                .isTrue();
        long far = SessionId.of(NOW_MS + 5 * 60_000 + 1, 7, 9);
        assertThat(SessionId.ms(SessionId.mint(NOW_MS, 0, 0, 0, far))).isEqualTo(NOW_MS);
    }

    @Test
    void shouldCompareAsUnsigned() {
        long late = SessionId.of((1L << 44) - 1, 0, 0);
        assertThat(late).isNegative();
        assertThat(SessionId.isNewer(late, SessionId.of(NOW_MS, 0, 0))).isTrue();
        assertThat(SessionId.newest(late, 5)).isEqualTo(late);
    }
}
