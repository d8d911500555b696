package io.sallyport.local;

import io.sallyport.local.cli.SallyportCommand;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Entry of the root script {@code ./sallyport}. */
public final class Main {
    private static final int OUT_BYTES = 1 << 16;

    private Main() {}

    public static void main(String[] args) {
        // UTF-8 whatever the locale says, and no flush for each line.
        var out = new PrintWriter(new BufferedWriter(
                new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8), OUT_BYTES));
        var err = new PrintWriter(
                new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8), true);
        int exit = SallyportCommand.commandLine().setOut(out).setErr(err).execute(args);
        out.flush();
        err.flush();
        System.exit(exit);
    }
}
