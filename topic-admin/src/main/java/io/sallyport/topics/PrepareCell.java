package io.sallyport.topics;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;

/**
 * The one-shot job that makes a Kafka cluster a cell: every topic of the catalogue, the seeds of the control topics, and
 * customers to begin with. It adds what is missing and changes nothing that is there, so it may run before each upgrade.
 *
 * <pre>PrepareCell --bootstrap-servers HOST:PORT[,…] --sizing local|cell [--tiered-storage on|off]
 *     [--customers ID[,ID …]] [--attempts N]</pre>
 *
 * <p>Exit codes: 0 the cell is ready; 1 the cluster does not answer, or its topics differ from the catalogue (each
 * difference is named); 2 wrong usage.
 */
public final class PrepareCell {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    /** Brokers that have just started elect leaders for a while. */
    private static final int PAUSE_SECONDS = 5;

    private static final int MOST_ATTEMPTS = 100;

    private record Options(String bootstrapServers, TopicSizing sizing, List<String> customers, int attempts) {}

    private PrepareCell() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(List.of(args), System.out, System.err));
    }

    /** The job without the end of its process; the result is its exit code. */
    public static int run(List<String> args, PrintStream out, PrintStream err) throws InterruptedException {
        Options options;
        try {
            options = parse(args);
        } catch (IllegalArgumentException e) {
            err.println("prepare-cell: " + e.getMessage());
            return USAGE;
        }
        for (int attempt = 1; ; attempt++) {
            try {
                prepare(options);
                out.println("prepare-cell: topics and seeds are there");
                return DONE;
            } catch (TopicMismatchException | KafkaException | IllegalStateException e) {
                err.println("prepare-cell: " + e.getMessage());
                if (attempt >= options.attempts()) {
                    return FAILED;
                }
            }
            TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
        }
    }

    private static void prepare(Options options) throws InterruptedException {
        try (var topics = new TopicAdmin(options.bootstrapServers(), options.sizing());
                var seeds = new ControlSeeds(options.bootstrapServers())) {
            topics.create();
            seeds.seedCell(options.sizing().shardsMax());
            var customers = new CustomerRegistry(options.bootstrapServers(), "sallyport");
            for (String id : options.customers()) {
                customers.addMissing(id);
            }
        }
    }

    private static Options parse(List<String> args) {
        String servers = "";
        TopicSizing sizing = null;
        List<String> customers = List.of();
        int attempts = 1;
        boolean tiered = false;
        for (int i = 0; i < args.size(); i += 2) {
            String name = args.get(i);
            if (i + 1 == args.size()) {
                throw new IllegalArgumentException(name + " has no value");
            }
            String value = args.get(i + 1);
            switch (name) {
                case "--bootstrap-servers" -> servers = value;
                case "--sizing" -> sizing = sizing(value);
                case "--tiered-storage" -> tiered = tiered(value);
                case "--customers" -> customers = customers(value);
                case "--attempts" -> attempts = attempts(value);
                default -> throw new IllegalArgumentException("unknown option " + name);
            }
        }
        if (servers.isBlank() || sizing == null) {
            throw new IllegalArgumentException("--bootstrap-servers and --sizing are needed");
        }
        return new Options(servers, tiered ? sizing.withTieredStorage() : sizing, customers, attempts);
    }

    private static TopicSizing sizing(String name) {
        return switch (name) {
            case "local" -> TopicSizing.LOCAL;
            case "cell" -> TopicSizing.CELL;
            default -> throw new IllegalArgumentException("--sizing is local or cell, not " + name);
        };
    }

    private static boolean tiered(String value) {
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("--tiered-storage is on or off, not " + value);
        };
    }

    private static int attempts(String value) {
        if (!value.matches("[0-9]{1,3}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > MOST_ATTEMPTS) {
            throw new IllegalArgumentException("--attempts is 1 to " + MOST_ATTEMPTS + ", not " + value);
        }
        return Integer.parseInt(value);
    }

    private static List<String> customers(String value) {
        var ids = new ArrayList<String>();
        for (String id : value.split(",", -1)) {
            if (!SensorKey.isValidId(id)) {
                throw new IllegalArgumentException("'" + id + "' is no id of a customer");
            }
            ids.add(id);
        }
        return ids;
    }
}
