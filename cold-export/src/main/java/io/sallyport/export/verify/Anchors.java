package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.export.checkpoint.LogTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The checkpoints that what is verified must pass through: the pinned one, and the newest one of the store.
 *
 * @param pin key and checkpoint from outside; without them nothing is anchored
 * @param newest its signature was checked with the pin's key
 */
record Anchors(Optional<Pin> pin, Optional<Checkpoint> newest) {

    /** Of a copy that is only older than the pin nothing can be learned: the copies were not kept up. */
    static Anchors ofCopies(Optional<Pin> pin, Optional<Checkpoint> newest) {
        boolean older = pin.isPresent()
                && newest.isPresent()
                && pin.get().checkpoint().conflict(newest.get()).isPresent()
                && newest.get().conflict(pin.get().checkpoint()).isEmpty();
        return new Anchors(pin, older ? Optional.empty() : newest);
    }

    /** The newest checkpoint must be one that can follow the pinned one. */
    void check() throws TamperedException {
        if (pin.isEmpty() || newest.isEmpty()) {
            return;
        }
        Optional<String> conflict = pin.get().checkpoint().conflict(newest.get());
        if (conflict.isPresent()) {
            throw store("the store's checkpoint does not extend the pinned one: " + conflict.get());
        }
    }

    /** Without a pin whatever the store says vouches for nothing. */
    List<Checkpoint> checkpoints() {
        var checkpoints = new ArrayList<Checkpoint>();
        pin.map(Pin::checkpoint).ifPresent(checkpoints::add);
        newest.ifPresent(checkpoints::add);
        return checkpoints;
    }

    /**
     * Where a checkpoint says what the tree was at this size, it must have been that.
     *
     * @return whether one of them speaks of this size
     */
    boolean check(LogTree tree) throws TamperedException {
        if (!tree.isWhole()) {
            return false;
        }
        boolean known = false;
        for (Checkpoint checkpoint : checkpoints()) {
            TreeState state = checkpoint.trees().get(tree.key());
            if (state == null || state.size() != tree.size()) {
                continue;
            }
            if (!state.equals(tree.state())) {
                throw new TamperedException(new Verdict.Tampered(
                        Integer.toUnsignedLong(tree.key().shard()),
                        tree.size() - 1,
                        "a record below pos " + tree.nextPos(),
                        "the log is another one than the signed checkpoint's at " + tree.size() + " segments"));
            }
            known = true;
        }
        return known;
    }

    static TamperedException store(String why) {
        return new TamperedException(new Verdict.Tampered(-1, -1, "", why));
    }
}
