package io.sallyport.local.cli;

import io.sallyport.local.records.RecordFilter;
import io.sallyport.local.records.StartPosition;
import io.sallyport.local.records.TopicReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "read",
        description = {
            "Decoded records of any topic as JSON lines, only committed ones, in the order of each partition.",
            "Without --max and --timeout it follows the topic until it is stopped."
        })
final class ReadCommand extends KafkaCommand {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Parameters(
            paramLabel = "TOPIC",
            description =
                    "structured, coverage, quarantine, raw, the commands' ingress, message-decisions, fanout-plans,"
                            + " sensor-queue, session-push, message-status and target-status, or any other topic")
    private String topic = "";

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            description = "only records of this customer")
    private @Nullable String customer;

    @Option(
            names = "--sensor",
            paramLabel = "S",
            converter = Values.Id.class,
            description = "only records of sensors with this id")
    private @Nullable String sensor;

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = "beginning",
            converter = Position.class,
            description =
                    "beginning, now, a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970; a time after"
                            + " the newest record means now (default: ${DEFAULT-VALUE})")
    private StartPosition from = new StartPosition.Beginning();

    @Option(names = "--max", paramLabel = "N", description = "stop after N records")
    private @Nullable Long max;

    @Option(
            names = "--timeout",
            paramLabel = "S",
            converter = Values.Time.class,
            description = "stop when no record came for S seconds and what was there is read")
    private @Nullable Duration timeout;

    static final class Position implements ITypeConverter<StartPosition> {
        @Override
        public StartPosition convert(String text) {
            try {
                return StartPosition.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    @Override
    int execute() throws Exception {
        long limit = max == null ? Long.MAX_VALUE : max;
        if (limit < 0) {
            throw usage("--max must not be negative");
        }
        var filter = new RecordFilter(Optional.ofNullable(customer), Optional.ofNullable(sensor));
        var request = new TopicReader.Request(topic, filter, from, limit, Optional.ofNullable(timeout));
        try (var reader = new TopicReader(kafka())) {
            var topics = reader.topics();
            if (!topics.contains(topic)) {
                throw usage("no topic '" + topic + "'; the topics are " + String.join(", ", topics));
            }
            if ((customer != null || sensor != null) && !RecordFilter.belongsToCustomers(topic)) {
                err().println("sallyport: " + topic
                        + " holds records of no customer, which --customer and --sensor leave out");
            }
            if (from instanceof StartPosition.At at && at.time().isAfter(Instant.now())) {
                err().println("sallyport: " + at.time() + " has not come yet; only what comes from now on is read");
            }
            reader.read(request, new Lines(out()));
        } catch (ReaderGone e) {
            // As with `| head`: whoever read has enough.
            return DONE;
        }
        return DONE;
    }

    /** Whoever reads the output has closed it. */
    private static final class ReaderGone extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private record Lines(PrintWriter out) implements TopicReader.Sink {
        @Override
        public void line(String line) {
            out.write(line);
            out.write('\n');
        }

        @Override
        public void pause() throws ReaderGone {
            if (out.checkError()) {
                throw new ReaderGone();
            }
        }
    }
}
