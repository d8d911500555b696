package io.sallyport.local.cli;

import java.util.List;
import picocli.CommandLine.Option;

/** What goes through the gateway: events of some sizes, and who sends them. */
final class LoadOptions {
    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "1024,32768",
            description = "payload of each event, one run each (default: ${DEFAULT-VALUE})")
    List<Integer> sizes = List.of();

    @Option(
            names = "--sensors",
            paramLabel = "N",
            defaultValue = "32",
            description = "sensors that send it (default: ${DEFAULT-VALUE})")
    int sensors;

    /** @param megabytes of payload of each run */
    void check(Action command, int megabytes) {
        if (megabytes < 1 || sensors < 1 || sizes.stream().anyMatch(size -> size < 1 || size > 65_536)) {
            throw command.usage("--megabytes and --sensors must be at least 1, --sizes 1 to 65536");
        }
    }
}
