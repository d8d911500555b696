package io.sallyport.fanout.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.fanout.core.Request;
import io.sallyport.proto.log.v1.IngressRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ParkingTest {
    private final KeyValueStore<String, byte[]> store = Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore("parked"), Serdes.String(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();

    @BeforeEach
    void open() {
        var context = new MockProcessorContext<String, byte[]>();
        store.init(context.getStateStoreContext(), store);
    }

    @Test
    void shouldTakeUpWhatADeadTaskLeftBehindInItsOrder() {
        var before = new Parking(store, CompletableFuture::new);
        for (long revision = 1; revision <= 3; revision++) {
            assertThat(before.park(request("acme", revision), 1_000 + revision)).isTrue();
        }

        var after = new Parking(store, () -> CompletableFuture.completedFuture(true));
        assertThat(after.holds("acme")).isTrue();
        assertThat(after.holds("globex")).isFalse();
        var released = new ArrayList<Request>();
        for (int i = 0; i < 5; i++) {
            after.release(released::add);
        }
        assertThat(released).containsExactly(request("acme", 1), request("acme", 2), request("acme", 3));
        assertThat(after.holds("acme")).isFalse();
        assertThat(store.all().hasNext()).isFalse();
    }

    @Test
    void shouldTakeNoMoreOfACustomerThanItsShare() {
        var parking = new Parking(store, CompletableFuture::new);
        for (long revision = 0; revision < Parking.MOST_OF_A_CUSTOMER; revision++) {
            assertThat(parking.park(request("acme", revision), 1_000)).isTrue();
        }
        assertThat(parking.park(request("acme", 9_999), 1_000)).isFalse();
        assertThat(parking.park(request("globex", 10_000), 1_000)).isTrue();
        assertThat(store.get("acme/%020d".formatted(9_999))).isNull();
    }

    @Test
    void shouldLetEachCustomerWaitForItself() {
        var looks = new ArrayList<CompletableFuture<Boolean>>();
        var parking = new Parking(store, () -> {
            looks.add(new CompletableFuture<>());
            return looks.get(looks.size() - 1);
        });
        parking.park(request("acme", 1), 1_001);
        parking.park(request("globex", 2), 1_002);
        looks.get(1).complete(false);
        List<Request> released = new ArrayList<>();
        parking.release(released::add);
        assertThat(released).containsExactly(request("globex", 2));
    }

    private static Request request(String customer, long revision) {
        return new Request(
                customer,
                revision,
                (1_000 + revision) * 1_000,
                IngressRecord.newBuilder().setRequestId("r-" + revision).build());
    }
}
