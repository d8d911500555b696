package io.sallyport.session.netty;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;

/** Handshakes per second of each client address, IPv4 by /24 and IPv6 by /56. Addresses are forgotten when quiet. */
final class AddressLimiter {
    private static final int IPV4_PREFIX_BYTES = 3;
    private static final int IPV6_PREFIX_BYTES = 7;

    private final Cache<ByteBuffer, Bucket> buckets;
    private final Bandwidth bandwidth;

    AddressLimiter(int handshakesPerSecond, int maxAddresses) {
        this.buckets = Caffeine.newBuilder()
                .maximumSize(maxAddresses)
                .expireAfterAccess(Duration.ofSeconds(10))
                .build();
        this.bandwidth = Bandwidth.builder()
                .capacity(handshakesPerSecond)
                .refillGreedy(handshakesPerSecond, Duration.ofSeconds(1))
                .build();
    }

    /** What stands for an address and its neighbours. */
    static ByteBuffer prefix(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length == 4 ? IPV4_PREFIX_BYTES : IPV6_PREFIX_BYTES));
    }

    boolean tryAcquire(InetAddress address) {
        return buckets.get(
                        prefix(address),
                        any -> Bucket.builder().addLimit(bandwidth).build())
                .tryConsume(1);
    }
}
