package io.sallyport.local.cli;

import io.sallyport.local.stack.PlainReason;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;

/** The command line. Exit codes: 0 done, 1 failed or not ready, 2 wrong usage. */
@Command(
        name = "sallyport",
        description = "The front door for endpoint telemetry: the local stack and its tools.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            UpCommand.class,
            StatusCommand.class,
            StartCommand.class,
            SimCommand.class,
            ReadCommand.class,
            PublishCommand.class,
            MessageCommand.class,
            SensorsCommand.class,
            SegmentCommand.class,
            TokenCommand.class,
            CertCommand.class,
            EventTypeCommand.class,
            CustomerCommand.class,
            RequeueCommand.class,
            ReplayCommand.class,
            ExportCommand.class,
            CheckpointCommand.class,
            VerifyCommand.class,
            ProveCommand.class,
            CapacityCommand.class,
            BenchCommand.class,
            CommandLine.HelpCommand.class
        },
        footer = {
            "",
            "Each option's default may be set by an environment variable of its name, for example",
            "SALLYPORT_DATA for --data and SALLYPORT_KAFKA_PORT for --kafka-port.",
            "SALLYPORT_JAVA_HOME names the JDK to use; without it the newest one in /usr/lib/jvm is taken."
        })
public final class SallyportCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    private CommandLine.Model.CommandSpec spec;

    /** The command line, ready for {@code execute}. */
    public static CommandLine commandLine() {
        var commandLine = new CommandLine(new SallyportCommand());
        addHelp(commandLine);
        return commandLine
                .setDefaultValueProvider(new EnvironmentDefaults(System.getenv()))
                // `--payload @FILE` is this command line's own.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(usageErrors())
                .setExecutionExceptionHandler(failures());
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
    }

    private static void addHelp(CommandLine commandLine) {
        commandLine
                .getCommandSpec()
                .mixinStandardHelpOptions(!commandLine.getCommandName().equals("help"));
        commandLine.getSubcommands().values().forEach(SallyportCommand::addHelp);
    }

    private static IParameterExceptionHandler usageErrors() {
        return (error, args) -> {
            CommandLine command = error.getCommandLine();
            command.getErr().println("sallyport: " + error.getMessage());
            command.getErr().println("try: ./" + command.getCommandSpec().qualifiedName() + " --help");
            return CommandLine.ExitCode.USAGE;
        };
    }

    private static IExecutionExceptionHandler failures() {
        return (error, command, parsed) -> {
            boolean verbose = parsed.hasMatchedOption("--verbose");
            command.getOut().flush();
            command.getErr().println("sallyport: " + PlainReason.of(error));
            if (verbose) {
                error.printStackTrace(command.getErr());
            }
            return CommandLine.ExitCode.SOFTWARE;
        };
    }
}
