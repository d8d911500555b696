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
        "1024, 42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
        // Above one chunk of 1,024 bytes it is a tree.
        "1025, d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
        "2048, e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
        "31744, 62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
        "102400, bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"
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
