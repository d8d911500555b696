package io.sallyport.local.cli;

import io.sallyport.local.rest.PublishingClient;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
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

    final PublishingClient client() throws IOException, GeneralSecurityException {
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
