package io.sallyport.local.stack;

import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.TokenIssuer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The settings that make a service part of a local stack, as its command line takes them. */
final class ServiceArguments {
    private ServiceArguments() {}

    /**
     * @param overrides settings by their full key, which win over the stack's own
     */
    static List<String> of(
            String service,
            Endpoints endpoints,
            DataFolder data,
            CredentialFolder credentials,
            Map<String, String> overrides) {
        var settings = new TreeMap<String, String>();
        settings.put("server.port", Integer.toString(Endpoints.port(endpoints.management(service))));
        if (service.equals(Endpoints.SESSION_SERVICE)) {
            session(settings, endpoints, data, credentials);
        } else {
            settings.put("sallyport.normalizer.bootstrap-servers", endpoints.bootstrapServers());
            settings.put(
                    "sallyport.normalizer.state-dir",
                    data.state().resolve(service).toString());
        }
        overrides.forEach((key, value) -> {
            if (belongsTo(key, service)) {
                settings.put(key, value);
            }
        });
        var arguments = new ArrayList<String>();
        settings.forEach((key, value) -> arguments.add("--" + key + "=" + value));
        return arguments;
    }

    private static void session(
            Map<String, String> settings, Endpoints endpoints, DataFolder data, CredentialFolder credentials) {
        String prefix = "sallyport.session.";
        settings.put(prefix + "bootstrap-servers", endpoints.bootstrapServers());
        settings.put(
                prefix + "state-dir",
                data.state().resolve(Endpoints.SESSION_SERVICE).toString());
        listener(settings, prefix + "listeners.mtls.", endpoints.mtls(), credentials);
        settings.put(
                prefix + "listeners.mtls.client-ca", credentials.caCertificate().toString());
        listener(settings, prefix + "listeners.token.", endpoints.token(), credentials);
        settings.put(prefix + "listeners.token.jwks", credentials.jwks().toString());
        settings.put(prefix + "listeners.token.issuer", TokenIssuer.ISSUER);
        // A fleet token speaks for every sensor of its customer: handy here, and off by default.
        settings.put(prefix + "listeners.token.allow-fleet-tokens", "true");
    }

    private static void listener(
            Map<String, String> settings, String prefix, String endpoint, CredentialFolder credentials) {
        settings.put(prefix + "enabled", "true");
        settings.put(prefix + "port", Integer.toString(Endpoints.port(endpoint)));
        settings.put(prefix + "certificate", credentials.gatewayCertificate().toString());
        settings.put(prefix + "private-key", credentials.gatewayKey().toString());
    }

    private static boolean belongsTo(String key, String service) {
        return key.startsWith(
                service.equals(Endpoints.SESSION_SERVICE) ? "sallyport.session." : "sallyport.normalizer.");
    }
}
