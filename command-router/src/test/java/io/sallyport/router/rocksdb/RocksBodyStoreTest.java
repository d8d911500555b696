package io.sallyport.router.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.proto.log.v1.MessageBody;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksBodyStoreTest {
    private static final MessageKey ACME = new MessageKey("acme", "m-1");
    private static final MessageKey GLOBEX = new MessageKey("globex", "m-1");

    @TempDir
    Path dir;

    @Test
    void shouldKeepBodiesAndPositionsAcrossARestart() {
        try (var store = open()) {
            assertThat(store.positions()).isEmpty();
            store.put(Map.of(ACME, body("for acme")), Map.of(0, 5L, 300, 1L << 40));
        }
        try (var store = open()) {
            assertThat(store.positions()).isEqualTo(Map.of(0, 5L, 300, 1L << 40));
            assertThat(store.has(ACME)).isTrue();
            assertThat(store.get(ACME)).contains(body("for acme"));
        }
    }

    @Test
    void shouldKeepTheSameNameOfTwoTenantsApart() {
        try (var store = open()) {
            store.put(Map.of(ACME, body("for acme")), Map.of());

            assertThat(store.has(GLOBEX)).isFalse();
            assertThat(store.get(GLOBEX)).isEmpty();
            store.put(Map.of(GLOBEX, body("for globex")), Map.of());
            assertThat(store.get(ACME)).contains(body("for acme"));
        }
    }

    private RocksBodyStore open() {
        return new RocksBodyStore(dir, Duration.ofDays(32));
    }

    private static MessageBody body(String text) {
        return MessageBody.newBuilder()
                .setPayload(ByteString.copyFromUtf8(text))
                .build();
    }
}
