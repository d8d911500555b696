package io.sallyport.local.cli;

import io.sallyport.local.credentials.PublisherTokenIssuer;
import io.sallyport.local.credentials.TokenIssuer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "token",
        description = "Tokens for clients of the local stack.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TokenCommand.Sensor.class, TokenCommand.Publisher.class})
final class TokenCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say for whom: token sensor or token publisher");
    }

    @Command(
            name = "sensor",
            description = {
                "Prints a token for a sensor.",
                "Without --sensor it is a fleet token, which speaks for every sensor of the customer;"
                        + " the local stack's token listener accepts it."
            })
    static final class Sensor extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Option(
                names = "--customer",
                paramLabel = "C",
                converter = Values.Id.class,
                required = true,
                description = "the sensor's tenant")
        private String customer = "";

        @Option(names = "--sensor", paramLabel = "S", converter = Values.Id.class, description = "its id")
        private @Nullable String sensor;

        @Option(
                names = "--ttl",
                paramLabel = "T",
                defaultValue = "24h",
                converter = Values.Time.class,
                description = "how long it is valid, such as 90s, 15m or 24h (default: ${DEFAULT-VALUE})")
        private Duration ttl = Duration.ofHours(24);

        @Override
        int execute() throws Exception {
            if (ttl.toSeconds() < 1) {
                throw usage("--ttl must be at least one second");
            }
            Instant now = Clock.systemUTC().instant();
            TokenIssuer issuer = credentials().tokens();
            String token = issuer.issue(customer, Optional.ofNullable(sensor), now, ttl);
            if (!json.wanted()) {
                out().println(token);
                return DONE;
            }
            var result = new LinkedHashMap<String, String>();
            result.put("token", token);
            result.put("customer_id", customer);
            if (sensor != null) {
                result.put("sensor_id", sensor);
            }
            result.put("expires_at", now.plus(ttl).toString());
            result.put("kid", issuer.keyId());
            out().println(JSON.writeValueAsString(result));
            return DONE;
        }
    }

    @Command(
            name = "publisher",
            description = "Prints a token for the publishing API, over REST and gRPC. It opens no sensor link.")
    static final class Publisher extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Option(
                names = "--customer",
                paramLabel = "C",
                required = true,
                split = ",",
                converter = Values.Id.class,
                description = "tenant that it speaks for; may stand several times")
        private List<String> customers = List.of();

        @Option(
                names = "--scope",
                paramLabel = "SCOPE",
                split = "[, ]",
                defaultValue = "commands:publish,commands:read",
                description =
                        "commands:publish, commands:read, or commands:respond for messages of type RESPONSE_ACTION"
                                + " (default: ${DEFAULT-VALUE})")
        private List<String> scopes = List.of();

        @Option(
                names = "--subject",
                paramLabel = "NAME",
                defaultValue = "local-publisher",
                description = "who publishes, in the audit log (default: ${DEFAULT-VALUE})")
        private String subject = "";

        @Option(
                names = "--ttl",
                paramLabel = "T",
                defaultValue = "24h",
                converter = Values.Time.class,
                description = "how long it is valid, such as 90s, 15m or 24h (default: ${DEFAULT-VALUE})")
        private Duration ttl = Duration.ofHours(24);

        @Override
        int execute() throws Exception {
            if (subject.isBlank()) {
                throw usage("--subject must not be empty");
            }
            if (ttl.toSeconds() < 1) {
                throw usage("--ttl must be at least one second");
            }
            for (String scope : scopes) {
                if (!PublisherTokenIssuer.ALL_SCOPES.contains(scope)) {
                    throw usage("there is no scope '" + scope + "'; the scopes are "
                            + String.join(", ", PublisherTokenIssuer.ALL_SCOPES));
                }
            }
            Instant now = Clock.systemUTC().instant();
            String token = credentials().publishers().issue(subject, customers, scopes, now, ttl);
            if (!json.wanted()) {
                out().println(token);
                return DONE;
            }
            var result = new LinkedHashMap<String, Object>();
            result.put("token", token);
            result.put("customers", customers);
            result.put("scope", String.join(" ", scopes));
            result.put("expires_at", now.plus(ttl).toString());
            out().println(JSON.writeValueAsString(result));
            return DONE;
        }
    }
}
