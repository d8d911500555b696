package io.sallyport.fanout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One node for all tests that need none of their own, and a log to write what services around it write. A test that
 * runs a node itself stops this one first: there is one decider of that name.
 */
public final class SharedFanout implements ParameterResolver {
    /** Starts with the first test that asks for it, and again after it was stopped. */
    public static final class Node implements AutoCloseable {
        private final CommandLog log = new CommandLog();
        private RunningFanout running;

        synchronized RunningFanout running() {
            if (running == null) {
                try {
                    running = RunningFanout.start(Files.createTempDirectory("shared-fanout"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return running;
        }

        public synchronized void stop() {
            if (running != null) {
                running.close();
                running = null;
            }
        }

        @Override
        public void close() {
            stop();
            log.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == RunningFanout.class || type == CommandLog.class || type == Node.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Node node = context.getRoot()
                .getStore(Namespace.create(SharedFanout.class))
                .computeIfAbsent(Node.class, type -> new Node(), Node.class);
        Class<?> type = parameter.getParameter().getType();
        if (type == Node.class) {
            return node;
        }
        return type == CommandLog.class ? node.log : node.running();
    }
}
