package io.sallyport.envelope.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Blake3Test {
    @ParameterizedTest
    @CsvSource({
        "0, af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "1, 2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
        "1024, 42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"
    })
    void shouldMatchTheOfficialVectors(int length, String expected) {
        var input = new byte[length];
        for (int i = 0; i < length; i++) {
            input[i] = (byte) (i % 251);
        }
        assertThat(HexFormat.of().formatHex(Blake3.hash(input, 32))).isEqualTo(expected);
    }

    @Test
    void shouldHashAnEventByItsContentAlone() {
        var hashes = new ContentHash();
        ByteBuffer payload = ByteBuffer.wrap("payload".getBytes(StandardCharsets.UTF_8));
        byte[] digest = hashes.payloadDigest(payload);
        long hash = hashes.of(4, 1, 1_000_000, digest);

        assertThat(payload.position()).as("the payload is only looked at").isZero();
        assertThat(hashes.of(4, 1, 1_000_000, hashes.payloadDigest(payload))).isEqualTo(hash);
        assertThat(hashes.of(5, 1, 1_000_000, digest)).isNotEqualTo(hash);
        assertThat(hashes.of(4, 2, 1_000_000, digest)).isNotEqualTo(hash);
        assertThat(hashes.of(4, 1, 1_000_001, digest)).isNotEqualTo(hash);
        digest[31] ^= 1;
        assertThat(hashes.of(4, 1, 1_000_000, digest)).isNotEqualTo(hash);
    }

    @Test
    void shouldBeTheFirstEightBytesOfTheDocumentedEncoding() throws Exception {
        byte[] payload = {1, 2, 3};
        byte[] sha = java.security.MessageDigest.getInstance("SHA-256").digest(payload);
        byte[] input = ByteBuffer.allocate(44)
                .putShort((short) 0xFFFE)
                .putShort((short) 7)
                .putLong(-1)
                .put(sha)
                .array();
        long expected = ByteBuffer.wrap(Blake3.hash(input, 32)).getLong();
        assertThat(new ContentHash().of(0xFFFE, 7, -1, sha)).isEqualTo(expected);
    }
}
