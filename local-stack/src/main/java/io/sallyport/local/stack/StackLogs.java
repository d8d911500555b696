package io.sallyport.local.stack;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Where this process logs: to bounded files of a stack, or nowhere, so that the terminal stays for results. */
public final class StackLogs {
    private static final String PATTERN =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{40} : %replace(%msg){'[\\p{Cntrl}&&[^\\n\\t]]', '?'}%n%ex{30}";
    private static final String FILE_SIZE = "16MB";
    private static final int OLD_FILES = 3;

    /** Packages of each part, where several run in one process; what is in none of them goes to {@code stack.log}. */
    private static final Map<String, List<String>> PACKAGES = Map.of(
            Endpoints.SESSION_SERVICE,
            List.of("io.sallyport.session"),
            Endpoints.NORMALIZER_SERVICE,
            List.of("io.sallyport.normalizer"),
            Endpoints.COMMAND_ROUTER,
            List.of("io.sallyport.router"),
            Endpoints.FANOUT_SERVICE,
            List.of("io.sallyport.fanout", "sallyport.audit"),
            Endpoints.BROKER,
            List.of(
                    "kafka",
                    "state",
                    "org.apache.kafka.controller",
                    "org.apache.kafka.coordinator",
                    "org.apache.kafka.image",
                    "org.apache.kafka.metadata",
                    "org.apache.kafka.network",
                    "org.apache.kafka.raft",
                    "org.apache.kafka.server",
                    "org.apache.kafka.storage"));

    private StackLogs() {}

    /** Everything to {@code NAME.log}. */
    static void toFile(Path logs, String name) {
        LoggerContext context = fresh();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(file(context, logs, name));
        quiet(context);
    }

    /** Each part to a file of its own. */
    public static void toFiles(Path logs) {
        LoggerContext context = fresh();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(file(context, logs, "stack"));
        PACKAGES.forEach((part, packages) -> {
            var appender = file(context, logs, part);
            for (String name : packages) {
                Logger logger = context.getLogger(name);
                logger.setAdditive(false);
                logger.addAppender(appender);
            }
        });
        quiet(context);
        keepFromSpring();
    }

    /** Nothing, or warnings to standard error. */
    public static void toTerminal(boolean verbose) {
        LoggerContext context = fresh();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(verbose ? Level.INFO : Level.OFF);
        if (verbose) {
            var console = new ConsoleAppender<ILoggingEvent>();
            console.setContext(context);
            console.setTarget("System.err");
            console.setEncoder(encoder(context));
            console.start();
            root.addAppender(console);
        }
        keepFromSpring();
    }

    private static LoggerContext fresh() {
        // Tomcat logs through the JDK, which would print to the terminal.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        return context;
    }

    /** Each Spring application would set the logging of the whole process up anew. */
    private static void keepFromSpring() {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
    }

    /** Loggers that print their whole configuration at each start. */
    private static void quiet(LoggerContext context) {
        for (String name : List.of(
                "org.apache.kafka.clients.consumer.ConsumerConfig",
                "org.apache.kafka.clients.producer.ProducerConfig",
                "org.apache.kafka.clients.admin.AdminClientConfig",
                "org.apache.kafka.common.config.AbstractConfig",
                "org.apache.kafka.common.utils.AppInfoParser",
                "org.apache.kafka.storage.internals.log")) {
            context.getLogger(name).setLevel(Level.WARN);
        }
    }

    private static RollingFileAppender<ILoggingEvent> file(LoggerContext context, Path logs, String name) {
        var appender = new RollingFileAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setName(name);
        appender.setFile(logs.resolve(name + ".log").toString());
        appender.setEncoder(encoder(context));
        var window = new FixedWindowRollingPolicy();
        window.setContext(context);
        window.setParent(appender);
        window.setFileNamePattern(logs.resolve(name + ".%i.log").toString());
        window.setMinIndex(1);
        window.setMaxIndex(OLD_FILES);
        window.start();
        var size = new SizeBasedTriggeringPolicy<ILoggingEvent>();
        size.setContext(context);
        size.setMaxFileSize(FileSize.valueOf(FILE_SIZE));
        size.start();
        appender.setRollingPolicy(window);
        appender.setTriggeringPolicy(size);
        appender.start();
        return appender;
    }

    private static PatternLayoutEncoder encoder(LoggerContext context) {
        var encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(PATTERN);
        encoder.start();
        return encoder;
    }
}
