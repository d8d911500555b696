package io.sallyport.normalizer.core;

import io.sallyport.proto.log.v1.Reason;
import io.sallyport.proto.log.v1.Stage;

/** Why an event does not go to `structured`, and what is written instead. */
enum Refusal {
    /** The gateway dropped it for its size and acknowledged past it; its bytes are not kept. */
    OVERSIZE(Reason.EVENT_OVERSIZE, Stage.STAGE_GATEWAY, false),
    UNDERSIZE(Reason.EVENT_UNDERSIZE, Stage.STAGE_GATEWAY, false),
    /** Admitted by a gateway with wider limits than a record of `structured` has. */
    TOO_LARGE(Reason.EVENT_OVERSIZE, Stage.STAGE_NORMALIZER, true),
    UNREGISTERED(Reason.UNREGISTERED_TYPE, Stage.STAGE_NORMALIZER, true),
    COLLISION(Reason.IDENTITY_COLLISION, Stage.STAGE_NORMALIZER, true),
    UNVERIFIABLE(Reason.UNVERIFIABLE_RESEND, Stage.STAGE_NORMALIZER, true);

    private final Reason reason;
    private final Stage stage;
    private final boolean kept;

    Refusal(Reason reason, Stage stage, boolean kept) {
        this.reason = reason;
        this.stage = stage;
        this.kept = kept;
    }

    Reason reason() {
        return reason;
    }

    Stage stage() {
        return stage;
    }

    /** Whether its bytes go to `quarantine`. */
    boolean kept() {
        return kept;
    }
}
