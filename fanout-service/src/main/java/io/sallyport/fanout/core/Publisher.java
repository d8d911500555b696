package io.sallyport.fanout.core;

import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.log.v1.Principal;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who calls the API.
 *
 * @param subject of the credential
 * @param customers it may act for
 * @param scopes it was given
 */
public record Publisher(String subject, Set<String> customers, Set<String> scopes) {
    public static final String SCOPE_PUBLISH = MessageTypes.SCOPE_PUBLISH;
    public static final String SCOPE_READ = "commands:read";
    private static final String COMMAND_SCOPES = "commands:";

    public Publisher {
        customers = Set.copyOf(customers);
        scopes = Set.copyOf(scopes);
    }

    /** What travels with a message: no more than the hops behind need to check it again. */
    public Principal actingFor(String customerId) {
        var principal = Principal.newBuilder().setSubject(subject).addCustomers(customerId);
        new TreeSet<>(scopes)
                .stream().filter(scope -> scope.startsWith(COMMAND_SCOPES)).forEach(principal::addScopes);
        return principal.build();
    }
}
