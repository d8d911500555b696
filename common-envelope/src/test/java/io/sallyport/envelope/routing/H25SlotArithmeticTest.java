package io.sallyport.envelope.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sallyport.envelope.identity.SensorKey;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class H25SlotArithmeticTest {
    @Test
    void shouldReadTheHashAsUnsigned() {
        assertThat(Slots.ofHash(bytes(0x00, 0x00))).isZero();
        assertThat(Slots.ofHash(bytes(0x7F, 0xF0))).isEqualTo(2047);
        assertThat(Slots.ofHash(bytes(0x80, 0x00))).isEqualTo(2048);
        assertThat(Slots.ofHash(bytes(0xFF, 0xF0))).isEqualTo(4095);
        assertThat(Slots.ofHash(bytes(0xFF, 0xFF))).isEqualTo(4095);
    }

    @Test
    void shouldSpreadRandomKeysEvenlyOverShardsOfEqualWidth() {
        long seed = 20_250_101L;
        var random = new Random(seed);
        var map = ShardMap.initial(8);
        var counts = new int[8];
        for (int i = 0; i < 100_000; i++) {
            var key = new SensorKey("cust-" + random.nextInt(100), "s-" + random.nextInt(Integer.MAX_VALUE));
            counts[map.shardOf(key, 0)]++;
        }
        for (int count : counts) {
            assertThat((double) count).as("seed %d", seed).isCloseTo(12_500, within(625.0));
        }
    }

    @Test
    void shouldRouteByTheEpochInEffectAndEverythingEarlierByTheFirst() {
        var map = new ShardMap(
                1, List.of(RoutingEpoch.even(0, 1_000_000, 1), new RoutingEpoch(1, 2_000_000, onlyShard(1))));
        var key = new SensorKey("acme", "s-1");
        assertThat(map.shardOf(key, 999_000)).isZero();
        assertThat(map.shardOf(key, 1_000_000)).isZero();
        assertThat(map.shardOf(key, 1_999_000)).isZero();
        assertThat(map.shardOf(key, 2_000_000)).isEqualTo(1);
    }

    @Test
    void shouldCoverEverySlotOnceForAnyNumberOfShards() {
        for (int shards : new int[] {1, 2, 3, 7, 8, 64, 1000, 4096}) {
            var epoch = RoutingEpoch.even(0, 0, shards);
            int last = 0;
            for (int slot = 0; slot < Slots.COUNT; slot++) {
                int shard = epoch.shardOf(slot);
                assertThat(shard).isBetween(last, last + 1).isLessThan(shards);
                last = shard;
            }
            assertThat(last).isEqualTo(shards - 1);
        }
    }

    @Test
    void shouldRefuseAMapWithHolesOrOverlaps() {
        var first = new RoutingEpoch.Range(0, 100, 0);
        assertThatThrownBy(() -> new RoutingEpoch(0, 0, List.of(first))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RoutingEpoch(0, 0, List.of(first, new RoutingEpoch.Range(100, 4095, 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RoutingEpoch(0, 0, List.of(first, new RoutingEpoch.Range(102, 4095, 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ShardMap(0, List.of(RoutingEpoch.even(0, 5, 1), RoutingEpoch.even(1, 5, 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldKeepRoutingKeysOfDifferentPairsApart() {
        assertThat(Slots.routingKey(new SensorKey("ab", "c"))).isNotEqualTo(Slots.routingKey(new SensorKey("a", "bc")));
        assertThat(Slots.routingKey(new SensorKey("ab", "c"))).containsExactly(2, 'a', 'b', 1, 'c');
    }

    private static List<RoutingEpoch.Range> onlyShard(int shard) {
        return List.of(new RoutingEpoch.Range(0, Slots.COUNT - 1, shard));
    }

    private static byte[] bytes(int first, int second) {
        var hash = new byte[16];
        hash[0] = (byte) first;
        hash[1] = (byte) second;
        return hash;
    }
}
