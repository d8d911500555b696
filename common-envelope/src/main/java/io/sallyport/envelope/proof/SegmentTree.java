package io.sallyport.envelope.proof;

import com.google.protobuf.ByteString;
import io.sallyport.proto.log.v1.CustomerRoot;
import io.sallyport.proto.log.v1.ProofSegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The two levels of a segment: a subtree for each customer over its leaves in order of pos, and a tree over the
 * customers. So a customer checks its own rows with its own rows, and sees of the others only a hash.
 *
 * <pre>
 * leaf of the customers' tree = customer_id text, count u32, subtree root
 * leaf of the log tree        = version u8 (1), cell text, shard u32, generation u32, index u64, first_pos u64, count u32,
 *                               leaf_version u32, customers u32, root
 * </pre>
 */
public final class SegmentTree {
    private static final byte ENTRY_VERSION = 1;

    private SegmentTree() {}

    static ProofSegment.Builder build(TreeHash hash, List<byte[]> leaves, List<String> customers) {
        // One entry per customer, not per leaf: the text of an id is turned into bytes once.
        var byId = new HashMap<String, List<byte[]>>();
        for (int i = 0; i < leaves.size(); i++) {
            byId.computeIfAbsent(customers.get(i), customer -> new ArrayList<>())
                    .add(leaves.get(i));
        }
        // By their bytes, as everyone can sort them.
        var byCustomer = new TreeMap<ByteString, List<byte[]>>(ByteString.unsignedLexicographicalComparator());
        byId.forEach((customer, own) -> byCustomer.put(ByteString.copyFromUtf8(customer), own));
        var segment = ProofSegment.newBuilder().setCount(leaves.size());
        Map<String, Integer> indexes = new HashMap<>();
        var tops = new ArrayList<byte[]>();
        byCustomer.forEach((customer, own) -> {
            indexes.put(customer.toStringUtf8(), indexes.size());
            CustomerRoot root = CustomerRoot.newBuilder()
                    .setCustomerIdBytes(customer)
                    .setCount(own.size())
                    .setRoot(ByteString.copyFrom(new MerkleTree(hash, own).root()))
                    .build();
            segment.addCustomers(root);
            tops.add(hash.leaf(customerEntry(root)));
        });
        for (String customer : customers) {
            segment.addOwners(indexes.getOrDefault(customer, 0));
        }
        return segment.setRoot(ByteString.copyFrom(new MerkleTree(hash, tops).root()));
    }

    /** What the customers' tree has as the leaf of a customer. */
    public static byte[] customerEntry(CustomerRoot customer) {
        ByteString id = customer.getCustomerIdBytes();
        var out = ByteBuffer.allocate(4 + id.size() + 4 + customer.getRoot().size())
                .putInt(id.size());
        id.copyTo(out);
        out.putInt(customer.getCount());
        customer.getRoot().copyTo(out);
        return out.array();
    }

    /** What the log tree has as the leaf of a segment. */
    public static byte[] entry(ProofSegment segment) {
        byte[] cell = segment.getCell().getBytes(StandardCharsets.UTF_8);
        ByteString root = segment.getRoot();
        var out = ByteBuffer.allocate(1 + 4 + cell.length + 4 + 4 + 8 + 8 + 4 + 4 + 4 + root.size())
                .put(ENTRY_VERSION)
                .putInt(cell.length)
                .put(cell)
                .putInt(segment.getShard())
                .putInt(segment.getGeneration())
                .putLong(segment.getIndex())
                .putLong(segment.getFirstPos())
                .putInt(segment.getCount())
                .putInt(segment.getLeafVersion())
                .putInt(segment.getCustomersCount());
        root.copyTo(out);
        return out.array();
    }

    /** Leaf hashes of a segment in order of pos; a torn list is cut at its last whole hash. */
    public static List<byte[]> leaves(ProofSegment segment) {
        ByteString all = segment.getLeaves();
        var leaves = new ArrayList<byte[]>(all.size() / TreeHash.BYTES);
        for (int at = 0; at + TreeHash.BYTES <= all.size(); at += TreeHash.BYTES) {
            leaves.add(all.substring(at, at + TreeHash.BYTES).toByteArray());
        }
        return leaves;
    }

    /**
     * Whether a segment's counts, owners and roots follow from its leaves.
     *
     * @return what is wrong; empty where nothing is
     */
    public static Optional<String> fault(TreeHash hash, ProofSegment segment) {
        List<byte[]> leaves = leaves(segment);
        int count = segment.getCount();
        if (count < 1
                || count > OpenSegment.MAX_LEAVES
                || segment.getLeaves().size() != count * TreeHash.BYTES
                || segment.getOwnersCount() != count) {
            return Optional.of("expected " + Integer.toUnsignedString(count) + " leaves, found " + leaves.size());
        }
        var customers = new ArrayList<String>(count);
        for (int owner : segment.getOwnersList()) {
            if (owner < 0 || owner >= segment.getCustomersCount()) {
                return Optional.of("a leaf of no customer");
            }
            customers.add(segment.getCustomers(owner).getCustomerId());
        }
        ProofSegment.Builder rebuilt = build(hash, leaves, customers);
        if (!rebuilt.getCustomersList().equals(segment.getCustomersList())
                || !rebuilt.getOwnersList().equals(segment.getOwnersList())) {
            return Optional.of("the customers' subtrees differ");
        }
        return Arrays.equals(rebuilt.getRoot().toByteArray(), segment.getRoot().toByteArray())
                ? Optional.empty()
                : Optional.of("the root differs");
    }
}
