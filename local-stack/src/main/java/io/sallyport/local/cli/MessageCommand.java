package io.sallyport.local.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "message",
        description = "A published message, and how many of its targets are in which state.",
        subcommands = MessageCommand.Cancel.class)
final class MessageCommand extends Publishing {
    @Mixin
    private final JsonOption json = new JsonOption();

    // Both are checked by hand: what this command requires would be required of `message cancel` too.
    @Parameters(paramLabel = "MSG_ID", converter = Values.MsgId.class, arity = "0..1", description = "of the message")
    private @Nullable String msgId;

    @Option(names = "--customer", paramLabel = "C", converter = Values.Id.class, description = "whose message")
    private @Nullable String customer;

    @Option(names = "--targets", description = "the state of each target too")
    private boolean targets;

    @Override
    int execute() throws Exception {
        if (msgId == null || customer == null) {
            throw usage("MSG_ID and --customer are needed");
        }
        var message = (ObjectNode) client().message(customer, msgId);
        if (targets) {
            message.set("targets", client().targets(customer, msgId));
        }
        show(this, json, message);
        return DONE;
    }

    private static void show(Publishing command, JsonOption json, JsonNode message) {
        if (json.wanted()) {
            command.print(message);
            return;
        }
        command.out()
                .printf(
                        "%s/%s %s, revision %d, by %s, expires %s%n%s%n",
                        message.get("customer_id").asString(),
                        message.get("msg_id").asString(),
                        message.get("type").asString(),
                        message.get("revision").asLong(),
                        plain(message.get("published_by")),
                        time(message.get("expires_at_us").asLong()),
                        counts(message));
        for (JsonNode target : message.path("targets")) {
            command.out()
                    .printf(
                            "  %-24s %-10s pushes %d%s%n",
                            target.get("sensor_id").asString(),
                            target.get("state").asString(),
                            target.get("pushes").asLong(),
                            target.get("detail").asString().isEmpty() ? "" : "  " + plain(target.get("detail")));
        }
    }

    @Command(
            name = "cancel",
            description =
                    "Withdraws what was not delivered yet. A sensor that has the message already may still apply it.")
    static final class Cancel extends Publishing {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Parameters(paramLabel = "MSG_ID", converter = Values.MsgId.class, description = "of the message")
        private String msgId = "";

        @Option(
                names = "--customer",
                paramLabel = "C",
                converter = Values.Id.class,
                required = true,
                description = "whose message")
        private String customer = "";

        @Override
        int execute() throws Exception {
            show(this, json, client().cancel(customer, msgId));
            return DONE;
        }
    }
}
