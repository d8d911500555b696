package io.sallyport.envelope.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Case H26, the first half: two lists never have one root. */
class H26RootsAndChainsTest {
    private final TreeHash hash = new TreeHash();

    @Test
    void shouldGiveEveryListARootOfItsOwn() {
        List<String> lists = List.of("", "A", "ABC", "ABCC", "ABCDEF", "ABCDEFEF", "AB", "BA");
        var roots = new HashSet<String>();
        lists.forEach(list -> roots.add(HexFormat.of().formatHex(root(list))));
        assertThat(roots).hasSameSizeAs(lists);
    }

    @Test
    void shouldHaveAFixedRootOfNothing() {
        assertThat(HexFormat.of().formatHex(root("")))
                .isEqualTo("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }

    @Test
    void shouldNotTakeALeafForItsRoot() {
        assertThat(root("A")).isNotEqualTo("A".getBytes()).isEqualTo(hash.leaf("A".getBytes()));
    }

    @Test
    void shouldNotTakeAnInnerNodeForALeaf() {
        byte[] a = hash.leaf("A".getBytes());
        byte[] b = hash.leaf("B".getBytes());
        byte[] inner = hash.node(a, b);
        byte[] both = new byte[64];
        System.arraycopy(a, 0, both, 0, 32);
        System.arraycopy(b, 0, both, 32, 32);
        assertThat(hash.leaf(both)).isNotEqualTo(inner);
        assertThat(root("AB")).isEqualTo(inner);
    }

    private byte[] root(String letters) {
        return new MerkleTree(
                        hash,
                        Arrays.stream(letters.split(""))
                                .filter(letter -> !letter.isEmpty())
                                .map(letter -> hash.leaf(letter.getBytes()))
                                .toList())
                .root();
    }
}
