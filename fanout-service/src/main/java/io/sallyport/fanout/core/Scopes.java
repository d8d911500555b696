package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.MessageTypeSpec;
import io.sallyport.proto.log.v1.Principal;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Which scopes a message of a type needs: the one to publish, and the type's own. */
public final class Scopes {
    private Scopes() {}

    public static Optional<Refusal> missing(Principal principal, MessageTypeSpec type) {
        return missing(principal.getScopesList(), type);
    }

    public static Optional<Refusal> missing(Collection<String> scopes, MessageTypeSpec type) {
        for (String needed : List.of(Publisher.SCOPE_PUBLISH, type.getRequiredScope())) {
            if (!needed.isEmpty() && !scopes.contains(needed)) {
                return Optional.of(ErrorCode.MISSING_SCOPE.because(type.getName() + " needs the scope " + needed));
            }
        }
        return Optional.empty();
    }
}
