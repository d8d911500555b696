package io.sallyport.local.cli;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "segment",
        description = "Stored lists of sensors to publish to.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {SegmentCommand.Put.class, SegmentCommand.Get.class, SegmentCommand.Delete.class})
final class SegmentCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: segment put, get or delete NAME");
    }

    /** Which segment is meant, and how it is shown. */
    abstract static class OfSegment extends Publishing {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Parameters(paramLabel = "NAME", converter = Values.Id.class, description = "of the segment")
        private String name = "";

        @Option(
                names = "--customer",
                paramLabel = "C",
                converter = Values.Id.class,
                required = true,
                description = "whose segment")
        private String customer = "";

        /** @return the segment as the service has it now */
        abstract JsonNode ask(String ofCustomer, String called) throws Exception;

        @Override
        int execute() throws Exception {
            JsonNode segment = ask(customer, name);
            if (json.wanted()) {
                print(segment);
                return DONE;
            }
            out().printf(
                            "%s/%s version %d: %d sensor(s)%n",
                            customer,
                            name,
                            segment.get("version").asLong(),
                            segment.get("count").asLong());
            segment.get("sensor_ids").forEach(sensor -> out().println("  " + sensor.asString()));
            return DONE;
        }
    }

    @Command(name = "put", description = "Stores a list of sensors that exist, as a new version of the segment.")
    static final class Put extends OfSegment {
        @ArgGroup(exclusive = true, multiplicity = "1")
        private Members members = new Members();

        static final class Members {
            @Option(
                    names = "--members",
                    paramLabel = "S",
                    split = ",",
                    required = true,
                    converter = Values.Id.class,
                    description = "sensors, separated by commas")
            private List<String> sensors = List.of();

            @Option(names = "--file", paramLabel = "FILE", required = true, description = "one sensor on each line")
            private @Nullable Path file;
        }

        @Override
        JsonNode ask(String ofCustomer, String called) throws Exception {
            try {
                List<String> all = members.file == null
                        ? members.sensors
                        : Files.readAllLines(members.file).stream()
                                .map(String::strip)
                                .filter(line -> !line.isEmpty())
                                .toList();
                return client().putSegment(ofCustomer, called, all);
            } catch (NoSuchFileException e) {
                throw usage("there is no file " + members.file);
            }
        }
    }

    @Command(name = "get", description = "The newest version of a segment, with its members.")
    static final class Get extends OfSegment {
        @Override
        JsonNode ask(String ofCustomer, String called) throws Exception {
            return client().segment(ofCustomer, called);
        }
    }

    @Command(name = "delete", description = "Deletes a segment; messages keep the targets they were planned with.")
    static final class Delete extends OfSegment {
        @Override
        JsonNode ask(String ofCustomer, String called) throws Exception {
            return client().deleteSegment(ofCustomer, called);
        }
    }
}
