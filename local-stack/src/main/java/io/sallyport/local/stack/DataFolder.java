package io.sallyport.local.stack;

import java.nio.file.Path;

/**
 * Where a stack keeps what survives it.
 *
 * @param root absolute
 */
public record DataFolder(Path root) {
    public DataFolder {
        root = root.toAbsolutePath().normalize();
    }

    /** The broker's log. */
    public Path kafka() {
        return root.resolve("kafka");
    }

    /** State stores of the services; rebuilt from the log where they are lost. */
    public Path state() {
        return root.resolve("state");
    }

    public Path credentials() {
        return root.resolve("credentials");
    }

    /** The exported files. */
    public Path export() {
        return root.resolve("export");
    }

    /** A copy of every signed checkpoint. */
    public Path checkpoints() {
        return root.resolve("checkpoints");
    }

    /** Spools of the demo fleet. */
    public Path fleet() {
        return root.resolve("fleet");
    }

    /** Spools of fleets that the command line has run. */
    public Path sim() {
        return root.resolve("sim");
    }

    /** What describes the running stack. */
    public Path run() {
        return root.resolve("run");
    }

    public Path logs() {
        return root.resolve("logs");
    }
}
