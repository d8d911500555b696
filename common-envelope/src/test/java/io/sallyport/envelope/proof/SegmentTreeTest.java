package io.sallyport.envelope.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sallyport.proto.log.v1.CustomerRoot;
import io.sallyport.proto.log.v1.ProofSegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SegmentTreeTest {
    private static final TreeKey TREE = new TreeKey("cell-1", 3, 0);

    private final TreeHash hash = new TreeHash();

    @Test
    void shouldLetACustomerCheckItsOwnRowsAlone() {
        ProofSegment segment = segment("globex", "acme", "globex", "", "acme", "globex");
        assertThat(segment.getCustomersList().stream().map(CustomerRoot::getCustomerId))
                .containsExactly("", "acme", "globex");
        List<byte[]> own = List.of(leaf(1), leaf(4));
        CustomerRoot acme = segment.getCustomers(1);
        assertThat(acme.getCount()).isEqualTo(2);
        assertThat(new MerkleTree(hash, own).root()).isEqualTo(acme.getRoot().toByteArray());

        List<byte[]> tops = segment.getCustomersList().stream()
                .map(customer -> hash.leaf(SegmentTree.customerEntry(customer)))
                .toList();
        List<byte[]> path = new MerkleTree(hash, tops).inclusion(1);
        assertThat(MerkleTree.verifyInclusion(
                        hash, tops.get(1), 1, 3, path, segment.getRoot().toByteArray()))
                .isTrue();
    }

    @Test
    void shouldFindNothingWrongWithWhatItBuilt() {
        assertThat(SegmentTree.fault(hash, segment("a"))).isEmpty();
        assertThat(SegmentTree.fault(hash, segment("a", "b", "a"))).isEmpty();
        String[] many = IntStream.range(0, OpenSegment.MAX_LEAVES)
                .mapToObj(i -> "c" + i % 100)
                .toArray(String[]::new);
        assertThat(SegmentTree.fault(hash, segment(many))).isEmpty();
    }

    @Test
    void shouldFindEveryChange() {
        ProofSegment good = segment("a", "b", "a");
        byte[] leaves = good.getLeaves().toByteArray();
        for (int i = 0; i < leaves.length; i++) {
            byte[] changed = leaves.clone();
            changed[i] ^= 1;
            assertThat(SegmentTree.fault(
                            hash,
                            good.toBuilder()
                                    .setLeaves(ByteString.copyFrom(changed))
                                    .build()))
                    .isPresent();
        }
        assertThat(SegmentTree.fault(hash, good.toBuilder().setCount(2).build()))
                .contains("expected 2 leaves, found 3");
        assertThat(SegmentTree.fault(hash, good.toBuilder().setOwners(2, 1).build()))
                .isPresent();
        assertThat(SegmentTree.fault(hash, good.toBuilder().setOwners(2, 7).build()))
                .isPresent();
        assertThat(SegmentTree.fault(
                        hash,
                        good.toBuilder()
                                .setCustomers(
                                        0, good.getCustomers(0).toBuilder().setCount(1))
                                .build()))
                .isPresent();
        assertThat(SegmentTree.fault(
                        hash, good.toBuilder().setRoot(ByteString.EMPTY).build()))
                .isPresent();
        assertThat(SegmentTree.fault(hash, ProofSegment.getDefaultInstance())).isPresent();
    }

    @Test
    void shouldBindEveryFieldOfItsRecord() {
        ProofSegment good = segment("a", "b");
        byte[] entry = SegmentTree.entry(good);
        assertThat(List.of(
                        good.toBuilder().setCell("cell-2").build(),
                        good.toBuilder().setShard(4).build(),
                        good.toBuilder().setGeneration(1).build(),
                        good.toBuilder().setIndex(8).build(),
                        good.toBuilder().setFirstPos(8).build(),
                        good.toBuilder().setCount(3).build(),
                        good.toBuilder().setLeafVersion(2).build(),
                        good.toBuilder().removeCustomers(0).build(),
                        good.toBuilder()
                                .setRoot(ByteString.copyFrom(new byte[32]))
                                .build()))
                .allSatisfy(changed ->
                        assertThat(SegmentTree.entry(changed)).as("%s", changed).isNotEqualTo(entry));
    }

    @Test
    void shouldRefuseALeafTooMany() {
        var open = new OpenSegment(TREE, 0, 0);
        for (int i = 0; i < OpenSegment.MAX_LEAVES; i++) {
            open.add("a", leaf(i));
        }
        assertThat(open.isFull()).isTrue();
        assertThatThrownBy(() -> open.add("a", leaf(0))).isInstanceOf(IllegalStateException.class);
    }

    private ProofSegment segment(String... customers) {
        var open = new OpenSegment(TREE, 7, 1_000);
        for (int i = 0; i < customers.length; i++) {
            open.add(customers[i], leaf(i));
        }
        assertThat(open.nextPos()).isEqualTo(1_000 + customers.length);
        return open.close(hash);
    }

    private byte[] leaf(int i) {
        return hash.leaf(("record " + i).getBytes());
    }
}
