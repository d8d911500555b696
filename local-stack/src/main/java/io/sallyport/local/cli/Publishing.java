package io.sallyport.local.cli;

import io.sallyport.local.rest.PublishingClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** What the commands that talk to fanout-service have in common. */
abstract class Publishing extends Action {
    private static final String SUBJECT = "local-cli";

    /** The states of targets as the API counts them, in the order in which a target goes through them. */
    static final List<String> STATES = List.of(
            "planned",
            "pending",
            "in_flight",
            "acked",
            "nacked",
            "expired",
            "superseded",
            "evicted",
            "cancelled",
            "rejected");

    @Option(
            names = "--api",
            paramLabel = "URL",
            description =
                    "REST edge of a cell that is no local stack, such as http://127.0.0.1:8080 (default: that of the"
                            + " stack in --data)")
    private @Nullable URI api;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the publisher's token for --api (default: one that is made with the stack's own key)")
    private @Nullable Path tokenFile;

    final boolean isCell() {
        return api != null;
    }

    final PublishingClient client() throws IOException, GeneralSecurityException {
        URI cell = api;
        Path file = tokenFile;
        if ((cell == null) != (file == null)) {
            throw usage("--api and --token-file belong together");
        }
        if (cell != null && file != null) {
            String token = Files.readString(file).strip();
            return new PublishingClient(cell, customer -> token);
        }
        return new PublishingClient(
                endpoints().publishing().rest(), SUBJECT, credentials().publishers(), Clock.systemUTC());
    }

    final void print(JsonNode result) {
        out().println(JSON.writeValueAsString(result));
    }

    /** One line: the states that any target is in. */
    static String counts(JsonNode message) {
        var text = new StringBuilder("resolved ").append(message.get("resolved").asLong());
        for (String state : STATES) {
            long count = message.get(state).asLong();
            if (count > 0) {
                text.append(", ").append(state).append(' ').append(count);
            }
        }
        if (message.get("cancel_requested").asBoolean()) {
            text.append(" (cancelled)");
        }
        return text.toString();
    }

    /** Text that a sensor or a publisher chose, made harmless for a terminal. */
    static String plain(JsonNode text) {
        return text.asString().replaceAll("\\p{Cntrl}", "?");
    }

    static Instant time(long us) {
        return Instant.ofEpochMilli(us / 1_000);
    }
}
