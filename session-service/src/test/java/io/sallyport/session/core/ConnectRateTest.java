package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectRateTest {
    @Test
    void shouldLetAShortBurstPassAndThenOneAtATime() {
        var rate = new ConnectRate(100);
        int passed = 0;
        while (rate.connect(1_000) == 0) {
            passed++;
        }
        assertThat(passed).isEqualTo(20);
        assertThat(rate.connect(1_010)).isZero();
        assertThat(rate.connect(1_010)).isPositive();
    }

    @Test
    void shouldLetOnePassWhateverTheRate() {
        var rate = new ConnectRate(1);
        assertThat(rate.connect(5)).isZero();
        assertThat(rate.connect(5)).isEqualTo(ConnectRate.MIN_RETRY_MS);
        assertThat(rate.connect(1_005)).isZero();
    }

    @Test
    void shouldForgetThoseWhoNeverComeBack() {
        var rate = new ConnectRate(10);
        for (int i = 0; i < 5_000; i++) {
            rate.connect(0);
        }
        assertThat(rate.connect(0)).isEqualTo(ConnectRate.MAX_RETRY_MS);
        long later = 3L * ConnectRate.MAX_RETRY_MS;
        while (rate.connect(later) == 0) {
            assertThat(later).isPositive();
        }
        assertThat(rate.connect(later)).isEqualTo(ConnectRate.MIN_RETRY_MS);
    }
}
