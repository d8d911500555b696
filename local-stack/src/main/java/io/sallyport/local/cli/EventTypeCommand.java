package io.sallyport.local.cli;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.records.Registry;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.topics.ControlSeeds;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "event-type",
        description = "The registry of event types.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = EventTypeCommand.Add.class)
final class EventTypeCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: event-type add NAME");
    }

    @Command(
            name = "add",
            description = {
                "Registers an event type; effective within seconds, with no restart.",
                "A name that is there already keeps its number."
            })
    static final class Add extends KafkaCommand {
        private static final int HIGHEST = 0xFFFF;

        @Mixin
        private final JsonOption json = new JsonOption();

        @Parameters(paramLabel = "NAME", description = "of the type, such as RegistryValueSet")
        private String name = "";

        @Option(
                names = "--number",
                paramLabel = "N",
                description = "its number in a batch, 2 to 65535 (default: the next one that is free)")
        private @Nullable Integer number;

        @Option(names = "--description", paramLabel = "TEXT", defaultValue = "", description = "for people")
        private String description = "";

        @Override
        int execute() throws Exception {
            if (!name.matches("[A-Za-z][A-Za-z0-9]{0,63}")) {
                throw usage("a type's name is 1 to 64 letters and digits, a letter first");
            }
            if (number != null && (number < 2 || number > HIGHEST)) {
                throw usage("--number must be 2 to 65535");
            }
            String kafka = kafka();
            Collection<EventType> known =
                    Registry.read(kafka, Topics.EVENT_TYPES).values();
            int chosen = choose(known);
            try (var seeds = new ControlSeeds(kafka, System.getProperty("user.name", "local-cli"))) {
                seeds.put(EventType.newBuilder()
                        .setNumber(chosen)
                        .setName(name)
                        .setInBatch(true)
                        .setDescription(description)
                        .build());
            }
            if (json.wanted()) {
                var result = new LinkedHashMap<String, Object>();
                result.put("number", chosen);
                result.put("name", name);
                out().println(JSON.writeValueAsString(result));
            } else {
                out().println("event type " + chosen + " is " + name);
            }
            return DONE;
        }

        private int choose(Collection<EventType> known) {
            Optional<EventType> same =
                    known.stream().filter(type -> type.getName().equals(name)).findFirst();
            if (number == null) {
                return same.map(EventType::getNumber)
                        .orElseGet(() -> known.stream()
                                        .mapToInt(EventType::getNumber)
                                        .max()
                                        .orElse(1)
                                + 1);
            }
            if (same.isPresent() && same.get().getNumber() != number) {
                throw usage(name + " is event type " + same.get().getNumber() + " already");
            }
            known.stream()
                    .filter(type ->
                            type.getNumber() == number && !type.getName().equals(name))
                    .findFirst()
                    .ifPresent(type -> {
                        throw usage("event type " + number + " is " + type.getName() + " already");
                    });
            return number;
        }
    }
}
