package io.sallyport.local.cli;

import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.CustomerRegistry;
import java.util.LinkedHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "customer",
        description = "The registry of customers; each change is effective within seconds, with no restart.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            CustomerCommand.Add.class,
            CustomerCommand.Change.class,
            CustomerCommand.Suspend.class,
            CustomerCommand.Resume.class
        })
final class CustomerCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "say what to do: customer add, set, suspend or resume ID");
    }

    /** What is not named stays as it is. */
    private abstract static class OfOne extends KafkaCommand {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Parameters(paramLabel = "ID", converter = Values.Id.class, description = "of the customer")
        private String id = "";

        abstract void change(Customer.Builder customer);

        boolean mustBeThere() {
            return true;
        }

        @Override
        int execute() throws Exception {
            var customers = new CustomerRegistry(kafka(), System.getProperty("user.name", "local-cli"));
            if (mustBeThere() && customers.find(id).isEmpty()) {
                throw usage("there is no customer " + id);
            }
            Customer customer = customers.put(id, this::change);
            if (json.wanted()) {
                var result = new LinkedHashMap<String, Object>();
                result.put("customer_id", id);
                result.put("display_name", customer.getDisplayName());
                result.put("suspended", customer.getSuspended());
                result.put("bytes_per_second", customer.getBytesPerSecond());
                result.put("events_per_second", customer.getEventsPerSecond());
                result.put("bytes_per_day", customer.getBytesPerDay());
                result.put("refused_over_quota", customer.getRefusedOverQuota());
                out().println(JSON.writeValueAsString(result));
            } else {
                out().println("customer " + id + (customer.getSuspended() ? " is suspended" : " is active"));
            }
            return DONE;
        }
    }

    @Command(
            name = "set",
            description = {
                "Changes the name or the quotas of a customer that is there; what is not named stays as it is.",
                "Its sensors feel a new quota at once, also while they are slowed or refused."
            })
    static class Change extends OfOne {
        @Option(names = "--name", paramLabel = "TEXT", description = "for people")
        private @Nullable String name;

        @Option(
                names = "--bytes-per-second",
                paramLabel = "N",
                converter = Quota.class,
                description = "what its sensors may bring in on all gateways together, decompressed; 0: as the gateways"
                        + " are set")
        private @Nullable Long bytesPerSecond;

        @Option(
                names = "--events-per-second",
                paramLabel = "N",
                converter = Quota.class,
                description = "the same in events; 0: as the gateways are set")
        private @Nullable Long eventsPerSecond;

        @Option(
                names = "--bytes-per-day",
                paramLabel = "N",
                converter = Quota.class,
                description =
                        "of one day (UTC), decompressed; over it the customer is slowed to a floor; 0: without end")
        private @Nullable Long bytesPerDay;

        @Option(
                names = "--refuse-over-quota",
                negatable = true,
                description = "over --bytes-per-day its sensors are refused until the day ends, and not only slowed")
        private @Nullable Boolean refuse;

        @Override
        void change(Customer.Builder customer) {
            set(name, customer::setDisplayName);
            set(bytesPerSecond, customer::setBytesPerSecond);
            set(eventsPerSecond, customer::setEventsPerSecond);
            set(bytesPerDay, customer::setBytesPerDay);
            set(refuse, customer::setRefusedOverQuota);
        }

        private static <T> void set(@Nullable T named, Consumer<T> setter) {
            if (named != null) {
                setter.accept(named);
            }
        }

        static final class Quota implements CommandLine.ITypeConverter<Long> {
            @Override
            public Long convert(String text) {
                if (!text.matches("\\d{1,18}")) {
                    throw new CommandLine.TypeConversionException("'" + text + "' is no number of bytes or events");
                }
                return Long.parseLong(text);
            }
        }
    }

    @Command(
            name = "add",
            description = "Adds a customer. Of one that is there, only what is named changes, as with set.")
    static final class Add extends Change {
        @Override
        boolean mustBeThere() {
            return false;
        }
    }

    @Command(
            name = "suspend",
            description = "Ends the customer's sessions and lets its sensors in no more; the rest of its record stays.")
    static final class Suspend extends OfOne {
        @Override
        void change(Customer.Builder customer) {
            customer.setSuspended(true);
        }
    }

    @Command(name = "resume", description = "Lets the sensors of a suspended customer in again.")
    static final class Resume extends OfOne {
        @Override
        void change(Customer.Builder customer) {
            customer.setSuspended(false);
        }
    }
}
