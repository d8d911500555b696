package io.sallyport.local.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** A command as a shell would run it, in this JVM. */
record Invocation(int exit, String out, String err) {

    static Invocation of(String... args) {
        return of(SallyportCommand.commandLine(), args);
    }

    static Invocation of(CommandLine commandLine, String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = commandLine
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
        return new Invocation(exit, out.toString(), err.toString());
    }

    JsonNode json() {
        return Action.JSON.readTree(out);
    }

    List<JsonNode> lines() {
        var lines = new ArrayList<JsonNode>();
        out.lines().forEach(line -> lines.add(Action.JSON.readTree(line)));
        return lines;
    }
}
