package io.sallyport.local.cli;

import picocli.CommandLine.Option;

/** Of every command that prints a result. */
final class JsonOption {
    @Option(names = "--json", description = "print the result as JSON")
    private boolean json;

    boolean wanted() {
        return json;
    }
}
