package io.sallyport.local.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code SALLYPORT_KAFKA_PORT} is the default of {@code --kafka-port}, and so on for every option. */
record EnvironmentDefaults(Map<String, String> environment) implements IDefaultValueProvider {

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option && !option.usageHelp() && !option.versionHelp()
                ? environment.get(variable(option.longestName()))
                : null;
    }

    static String variable(String option) {
        return "SALLYPORT_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
