package io.sallyport.local.stack;

import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.PublisherTokenIssuer;
import io.sallyport.local.credentials.TokenIssuer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The settings that make a service part of a local stack, as its command line takes them. */
final class ServiceArguments {
    /** Where the settings of each service begin. */
    private static final Map<String, String> PREFIXES = Map.of(
            Endpoints.SESSION_SERVICE, "sallyport.session.",
            Endpoints.NORMALIZER_SERVICE, "sallyport.normalizer.",
            Endpoints.COMMAND_ROUTER, "sallyport.router.",
            Endpoints.FANOUT_SERVICE, "sallyport.fanout.",
            Endpoints.COLD_EXPORT, "sallyport.export.");

    /** Settings that every service takes which commands pass. */
    private static final String TRACING = "sallyport.tracing.";

    private static final Set<String> TRACED =
            Set.of(Endpoints.SESSION_SERVICE, Endpoints.COMMAND_ROUTER, Endpoints.FANOUT_SERVICE);

    private ServiceArguments() {}

    /**
     * @param part name of the process, which its state is kept under
     * @param overrides settings by their full key, which win over the stack's own
     */
    static List<String> of(
            String service,
            String part,
            Endpoints endpoints,
            DataFolder data,
            CredentialFolder credentials,
            Map<String, String> overrides) {
        String prefix = prefix(service);
        var settings = new TreeMap<String, String>();
        settings.put(prefix + "bootstrap-servers", endpoints.bootstrapServers());
        String state = data.state().resolve(part).toString();
        if (service.equals(Endpoints.COLD_EXPORT)) {
            settings.put(prefix + "scratch-dir", state);
            settings.put(prefix + "folder", data.export().toString());
            settings.put(
                    prefix + "checkpoint.key-file", credentials.checkpointKey().toString());
            settings.put(prefix + "checkpoint.copy-dir", data.checkpoints().toString());
        } else {
            settings.put(prefix + "state-dir", state);
        }
        String management = Integer.toString(Endpoints.port(endpoints.management(service)));
        if (service.equals(Endpoints.FANOUT_SERVICE)) {
            settings.put("management.server.port", management);
            publishing(settings, prefix, endpoints, credentials);
        } else {
            settings.put("server.port", management);
        }
        if (service.equals(Endpoints.SESSION_SERVICE)) {
            session(settings, prefix, endpoints, credentials);
        }
        overrides.forEach((key, value) -> {
            if (key.startsWith(prefix) || key.startsWith(TRACING) && TRACED.contains(service)) {
                settings.put(key, value);
            }
        });
        var arguments = new ArrayList<String>();
        settings.forEach((key, value) -> arguments.add("--" + key + "=" + value));
        return arguments;
    }

    private static String prefix(String service) {
        String prefix = PREFIXES.get(service);
        if (prefix == null) {
            throw new IllegalArgumentException("no service " + service);
        }
        return prefix;
    }

    private static void session(
            Map<String, String> settings, String prefix, Endpoints endpoints, CredentialFolder credentials) {
        listener(settings, prefix + "listeners.mtls.", endpoints.mtls(), credentials);
        settings.put(
                prefix + "listeners.mtls.client-ca", credentials.caCertificate().toString());
        listener(settings, prefix + "listeners.token.", endpoints.token(), credentials);
        settings.put(prefix + "listeners.token.jwks", credentials.jwks().toString());
        settings.put(prefix + "listeners.token.issuer", TokenIssuer.ISSUER);
        // A fleet token speaks for every sensor of its customer: handy here, and off by default.
        settings.put(prefix + "listeners.token.allow-fleet-tokens", "true");
        settings.put(prefix + "listeners.ticket-keys", credentials.ticketKeys().toString());
    }

    private static void publishing(
            Map<String, String> settings, String prefix, Endpoints endpoints, CredentialFolder credentials) {
        settings.put(
                "server.port",
                Integer.toString(Endpoints.port(endpoints.publishing().rest())));
        settings.put(
                "spring.grpc.server.port",
                Integer.toString(Endpoints.port(endpoints.publishing().grpc())));
        settings.put(prefix + "auth.jwks", credentials.publisherJwks().toString());
        settings.put(prefix + "auth.issuer", TokenIssuer.ISSUER);
        settings.put(prefix + "auth.audience", PublisherTokenIssuer.AUDIENCE);
    }

    private static void listener(
            Map<String, String> settings, String prefix, String endpoint, CredentialFolder credentials) {
        settings.put(prefix + "enabled", "true");
        settings.put(prefix + "port", Integer.toString(Endpoints.port(endpoint)));
        settings.put(prefix + "certificate", credentials.gatewayCertificate().toString());
        settings.put(prefix + "private-key", credentials.gatewayKey().toString());
    }
}
