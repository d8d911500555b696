package io.sallyport.local.cli;

import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import java.util.LinkedHashMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "customer",
        description = "The registry of customers.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = CustomerCommand.Add.class)
final class CustomerCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: customer add ID");
    }

    @Command(name = "add", description = "Adds or replaces a customer; effective within seconds, with no restart.")
    static final class Add extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Parameters(paramLabel = "ID", converter = Values.Id.class, description = "of the customer")
        private String id = "";

        @Option(names = "--name", paramLabel = "TEXT", defaultValue = "", description = "for people")
        private String name = "";

        @Option(
                names = "--suspended",
                description = "its sensors are not let in; add it again without this to let them in")
        private boolean suspended;

        @Override
        int execute() throws Exception {
            try (var seeds = new ControlSeeds(kafka(), System.getProperty("user.name", "local-cli"))) {
                seeds.put(Customer.newBuilder()
                        .setCustomerId(id)
                        .setDisplayName(name)
                        .setSuspended(suspended)
                        .build());
            }
            if (json.wanted()) {
                var result = new LinkedHashMap<String, Object>();
                result.put("customer_id", id);
                result.put("display_name", name);
                result.put("suspended", suspended);
                out().println(JSON.writeValueAsString(result));
            } else {
                out().println("customer " + id + (suspended ? " is suspended" : " is active"));
            }
            return DONE;
        }
    }
}
