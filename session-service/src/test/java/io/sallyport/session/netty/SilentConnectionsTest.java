package io.sallyport.session.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SilentConnectionsTest {
    private static final ByteBuffer HERE = ByteBuffer.wrap(new byte[] {10, 0, 1});
    private static final ByteBuffer THERE = ByteBuffer.wrap(new byte[] {10, 0, 2});

    @Test
    void shouldLetTheOldestOfAnAddressGiveWayBeforeAnybodyElse() {
        var silent = new SilentConnections<String>(new AdmissionLimits.Silent(10, 2));
        assertThat(silent.add("neighbour", THERE)).isNull();
        assertThat(silent.add("first", HERE)).isNull();
        assertThat(silent.add("second", HERE)).isNull();
        assertThat(silent.add("third", HERE)).isEqualTo("first");
        assertThat(silent.add("fourth", HERE)).isEqualTo("second");
        assertThat(silent.size()).isEqualTo(3);
    }

    @Test
    void shouldLetTheOldestOfAllGiveWayWhereTheNodeIsFull() {
        var silent = new SilentConnections<String>(new AdmissionLimits.Silent(2, 2));
        silent.add("first", THERE);
        silent.add("second", HERE);
        assertThat(silent.add("third", HERE)).isEqualTo("first");
        silent.remove("first");
        silent.remove("second");
        assertThat(silent.add("fourth", THERE)).isNull();
        assertThat(silent.size()).isEqualTo(2);
    }

    @Test
    void shouldKeepNothingOfThoseThatWent() {
        var silent = new SilentConnections<Integer>(new AdmissionLimits.Silent(1_000, 1));
        for (int i = 0; i < 500; i++) {
            assertThat(silent.add(i, HERE)).isNull();
            silent.remove(i);
            silent.remove(i);
        }
        assertThat(silent.size()).isZero();
    }
}
