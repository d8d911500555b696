package io.sallyport.local.cli;

import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.HealthProbe;
import io.sallyport.local.stack.StackException;
import io.sallyport.local.stack.StackLogs;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** What all commands have in common. */
abstract class Action implements Callable<Integer> {
    static final int DONE = 0;
    static final int FAILED = 1;

    static final JsonMapper JSON = new JsonMapper();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "./data",
            description = "folder of the stack: its data, credentials and ports (default: ${DEFAULT-VALUE})")
    private Path data = Path.of("data");

    @Option(names = "--verbose", description = "log to standard error, and print stack traces")
    private boolean verbose;

    /** @return the exit code */
    abstract int execute() throws Exception;

    @Override
    public final Integer call() throws Exception {
        logging(verbose);
        int exit = execute();
        out().flush();
        return exit;
    }

    final boolean verbose() {
        return verbose;
    }

    void logging(boolean loud) {
        StackLogs.toTerminal(loud);
    }

    final DataFolder data() {
        return new DataFolder(data);
    }

    /** The running stack's endpoints. */
    final Endpoints endpoints() throws IOException {
        return Endpoints.of(data());
    }

    /** The running stack's Kafka, which takes connections. */
    final String stackKafka() throws IOException {
        String at = endpoints().bootstrapServers();
        if (!HealthProbe.accepts(at)) {
            throw new StackException(
                    "Kafka at " + at + " does not answer; is the stack in " + data().root() + " still running?");
        }
        return at;
    }

    final CredentialFolder credentials() throws IOException, GeneralSecurityException {
        try {
            return CredentialFolder.open(data().credentials());
        } catch (NoSuchFileException e) {
            throw new StackException(
                    "no credentials in %s; the first ./sallyport up --data %s makes them"
                            .formatted(data().credentials(), data().root()),
                    e);
        }
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** For input that breaks a rule which the option's type does not tell. */
    final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Whether a person sits in front of the output; told by the root script, since the JDKs do not agree on it. */
    static boolean onTerminal() {
        return Boolean.getBoolean("sallyport.terminal");
    }
}
