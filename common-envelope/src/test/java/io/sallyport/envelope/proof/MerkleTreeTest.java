package io.sallyport.envelope.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MerkleTreeTest {
    private static final HexFormat HEX = HexFormat.of();
    /** Entries of the example tree of Certificate Transparency's reference implementation. */
    private static final List<String> PUBLISHED =
            List.of("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f");

    private final TreeHash hash = new TreeHash();

    /** Roots as published for that tree, with SHA-256: they fix the shape. */
    @ParameterizedTest
    @CsvSource({
        "0, e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "1, 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "2, fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "3, aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "4, d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "5, 4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "6, 76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "7, ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "8, 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    })
    void shouldHaveTheShapeOfPublishedTrees(int size, String root) {
        var sha256 = new TreeHash(new SHA256Digest());
        List<byte[]> leaves = PUBLISHED.subList(0, size).stream()
                .map(entry -> sha256.leaf(HEX.parseHex(entry)))
                .toList();
        assertThat(HEX.formatHex(new MerkleTree(sha256, leaves).root())).isEqualTo(root);
        var growing = new GrowingTree(sha256);
        leaves.forEach(growing::append);
        assertThat(HEX.formatHex(growing.root())).isEqualTo(root);
    }

    @Test
    void shouldProveEveryLeafOfEverySize() {
        for (int size = 1; size <= 70; size++) {
            List<byte[]> leaves = leaves(size);
            var tree = new MerkleTree(hash, leaves);
            byte[] root = tree.root();
            for (int i = 0; i < size; i++) {
                List<byte[]> path = tree.inclusion(i);
                assertThat(MerkleTree.verifyInclusion(hash, leaves.get(i), i, size, path, root))
                        .isTrue();
                // Another position, leaf, size, or a path with one hash more or less proves nothing.
                assertThat(MerkleTree.verifyInclusion(hash, leaves.get(i), i ^ 1, size, path, root))
                        .isFalse();
                assertThat(MerkleTree.verifyInclusion(hash, hash.leaf(new byte[] {9}), i, size, path, root))
                        .isFalse();
                assertThat(MerkleTree.verifyInclusion(hash, leaves.get(i), i, size, append(path, root), root))
                        .isFalse();
                if (!path.isEmpty()) {
                    assertThat(MerkleTree.verifyInclusion(
                                    hash, leaves.get(i), i, size, path.subList(0, path.size() - 1), root))
                            .isFalse();
                }
            }
        }
    }

    @Test
    void shouldProveThatATreeOnlyGrew() {
        for (int size = 0; size <= 40; size++) {
            var tree = new MerkleTree(hash, leaves(size));
            byte[] root = tree.root();
            for (int older = 0; older <= size; older++) {
                byte[] olderRoot = new MerkleTree(hash, leaves(older)).root();
                List<byte[]> path = tree.consistency(older);
                assertThat(MerkleTree.verifyConsistency(hash, older, olderRoot, size, root, path))
                        .as("%d of %d", older, size)
                        .isTrue();
                assertThat(MerkleTree.verifyConsistency(hash, older, olderRoot, size, root, append(path, root)))
                        .isFalse();
                if (older > 0 && older < size) {
                    var forked = new ArrayList<byte[]>(leaves(older));
                    forked.set(older - 1, hash.leaf(new byte[] {77}));
                    byte[] forkedRoot = new MerkleTree(hash, forked).root();
                    assertThat(MerkleTree.verifyConsistency(hash, older, forkedRoot, size, root, path))
                            .isFalse();
                }
            }
        }
    }

    @Test
    void shouldSurviveAnyPathWithoutAnException() {
        var random = new Random(5);
        byte[] root = new MerkleTree(hash, leaves(9)).root();
        for (int i = 0; i < 2_000; i++) {
            List<byte[]> path = IntStream.range(0, random.nextInt(70))
                    .mapToObj(n -> hash.leaf(new byte[] {(byte) random.nextInt()}))
                    .toList();
            long size = random.nextLong() >>> random.nextInt(64);
            long at = random.nextLong() >>> random.nextInt(64);
            assertThat(MerkleTree.verifyInclusion(hash, root, at, size, path, root) && size != 1)
                    .isFalse();
            assertThat(MerkleTree.verifyConsistency(hash, at, root, size, root, path) && at != size)
                    .isFalse();
        }
        assertThat(MerkleTree.verifyInclusion(hash, root, 0, 2, List.of(new byte[3]), root))
                .isFalse();
    }

    @Test
    void shouldGrowFromWhatWasStored() {
        var growing = new GrowingTree(hash);
        for (int size = 1; size <= 130; size++) {
            growing.append(leaf(size - 1));
            growing = GrowingTree.decode(hash, growing.encode());
            assertThat(growing.size()).isEqualTo(size);
            assertThat(growing.root()).isEqualTo(new MerkleTree(hash, leaves(size)).root());
        }
    }

    private List<byte[]> leaves(int count) {
        return IntStream.range(0, count).mapToObj(this::leaf).toList();
    }

    private byte[] leaf(int i) {
        return hash.leaf(("entry " + i).getBytes());
    }

    private static List<byte[]> append(List<byte[]> path, byte[] node) {
        var longer = new ArrayList<>(path);
        longer.add(node);
        return longer;
    }
}
