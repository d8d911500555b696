package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import java.util.Optional;

/** The export's manifest chains, as whoever signs follows them. For one thread. */
public interface ManifestHead {
    /**
     * What may be signed next.
     *
     * @param head over all chains; empty before anything was exported
     * @param fault why nothing may be: the chains do not extend what was signed
     */
    record Next(Optional<Hash> head, Optional<String> fault) {
        public static Next of(Optional<Hash> head) {
            return new Next(head, Optional.empty());
        }
    }

    /** @param signed head that the last committed checkpoint binds; it is to be signed again where no other can be looked up */
    Next after(Optional<Hash> signed);
}
