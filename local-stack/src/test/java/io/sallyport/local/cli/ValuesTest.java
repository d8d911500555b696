package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class ValuesTest {
    @Test
    void shouldReadTimesWithAndWithoutUnit() {
        var time = new Values.Time();
        assertThat(time.convert("5")).isEqualTo(Duration.ofSeconds(5));
        assertThat(time.convert("0.5")).isEqualTo(Duration.ofMillis(500));
        assertThat(time.convert("250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(time.convert("15m")).isEqualTo(Duration.ofMinutes(15));
        assertThat(time.convert("24h")).isEqualTo(Duration.ofHours(24));
        assertThat(time.convert("7d")).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void shouldRefuseWhatIsNoTime() {
        for (String text : new String[] {"", "-1", "h", "1w", "1 s"}) {
            assertThatThrownBy(() -> new Values.Time().convert(text)).isInstanceOf(TypeConversionException.class);
        }
    }

    @Test
    void shouldReadAddressesOfBothFamiliesAndNames() {
        var address = new Values.Address();
        assertThat(address.convert("127.0.0.1:7443").getPort()).isEqualTo(7443);
        assertThat(address.convert("[::1]:7444").getHostString()).isEqualTo("::1");
        // A name may stand for other gateways at the next connect.
        assertThat(address.convert("localhost:7443").isUnresolved()).isTrue();
        for (String text : new String[] {"7443", "host:", ":1", "127.0.0.1:65536", "::1:7443"}) {
            assertThatThrownBy(() -> address.convert(text)).isInstanceOf(TypeConversionException.class);
        }
    }
}
