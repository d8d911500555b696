package io.sallyport.export.checkpoint;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.proto.log.v1.SignerState;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a coordinator needs to go on after a checkpoint: it is stored with it, in one record, so that neither can be newer.
 *
 * @param trees as of the checkpoint
 * @param offsets of `proof-segments`, by partition: the next one to read
 */
public record CheckpointState(LogTrees trees, Map<Integer, Long> offsets) {

    public CheckpointState {
        offsets = Map.copyOf(offsets);
    }

    public byte[] encode() {
        var state = SignerState.newBuilder();
        for (LogTree tree : trees.trees()) {
            state.addTrees(SignerState.Tree.newBuilder()
                    .setShard(tree.key().shard())
                    .setGeneration(tree.key().generation())
                    .setEdge(ByteString.copyFrom(tree.encode()))
                    .setFirstMs(trees.age(tree.key()).firstMs())
                    .setLastMs(trees.age(tree.key()).lastMs()));
        }
        new TreeMap<>(offsets)
                .forEach((partition, offset) -> state.addOffsets(
                        SignerState.Offset.newBuilder().setPartition(partition).setNext(offset)));
        return state.build().toByteArray();
    }

    /** Empty where the bytes are none, or do not belong to the checkpoint. */
    public static Optional<CheckpointState> decode(byte[] encoded, Checkpoint checkpoint) {
        try {
            SignerState state = SignerState.parseFrom(encoded);
            var trees = new LogTrees(checkpoint.origin());
            for (SignerState.Tree tree : state.getTreesList()) {
                var key = new TreeKey(checkpoint.origin(), tree.getShard(), tree.getGeneration());
                trees.restore(
                        LogTree.decode(key, trees.hash(), tree.getEdge().toByteArray()),
                        new LogTrees.Age(tree.getFirstMs(), tree.getLastMs()));
            }
            var offsets = new TreeMap<Integer, Long>();
            state.getOffsetsList().forEach(offset -> offsets.put(offset.getPartition(), offset.getNext()));
            // Roots follow from the edges: a state of another checkpoint gives other ones.
            return trees.checkpoint(checkpoint.manifests()).equals(checkpoint)
                    ? Optional.of(new CheckpointState(trees, offsets))
                    : Optional.empty();
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
