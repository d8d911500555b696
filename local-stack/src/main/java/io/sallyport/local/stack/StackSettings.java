package io.sallyport.local.stack;

import java.nio.file.Path;
import java.util.Map;

/**
 * How a stack is started.
 *
 * @param data its folder; made where it does not exist
 * @param ports see {@link StackPorts}
 * @param overrides settings of the services by their full key, e.g. {@code sallyport.session.link.keepalive}
 */
public record StackSettings(DataFolder data, StackPorts ports, Map<String, String> overrides) {
    public StackSettings {
        overrides = Map.copyOf(overrides);
    }

    /** On free ports, for tests and benchmarks. */
    public static StackSettings onFreePorts(Path data) {
        return new StackSettings(new DataFolder(data), StackPorts.FREE, Map.of());
    }
}
