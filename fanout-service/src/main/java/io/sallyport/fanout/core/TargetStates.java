package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.TargetState;
import java.util.Locale;

/** The names of target states in answers: those of semantics, section 6. */
public final class TargetStates {
    private TargetStates() {}

    public static String name(TargetState state) {
        return switch (state) {
            case SUPERSEDED_BY_NEWER -> "superseded";
            case TARGET_STATE_UNSPECIFIED, UNRECOGNIZED -> "planned";
            default -> state.name().toLowerCase(Locale.ROOT);
        };
    }
}
