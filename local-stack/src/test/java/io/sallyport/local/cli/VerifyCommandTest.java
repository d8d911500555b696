package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.export.s3.S3Store;
import io.sallyport.export.verify.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class VerifyCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final VerifyCommand command = new VerifyCommand();

    VerifyCommandTest() {
        new CommandLine(command).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new TimeoutException("no answer"),
                new IllegalStateException("topic structured is missing"),
                new GeneralSecurityException("a key"),
                new UncheckedIOException(new IOException("a disk")),
                new IOException("a disk"),
                new NullPointerException("an error of the program"),
                new OutOfMemoryError("heap"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldNotCallTamperedWhatItCouldNotCheck(Throwable failure) {
        assertThat(command.execute(thrower(failure))).isEqualTo(2);
        assertThat(err.toString()).startsWith("sallyport: it could not be checked: ");
        assertThat(out.toString()).isEmpty();
    }

    private static Callable<Verdict> thrower(Throwable failure) {
        return () -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
    }

    @Test
    void shouldVerifyABucket() {
        var options = new StoreOptions.WithCheckpoints();
        CommandLine line = new CommandLine(CommandLine.Model.CommandSpec.create()).addMixin("store", options);
        line.parseArgs(
                "--bucket", "cold", "--prefix", "cell-1/", "--endpoint", "http://127.0.0.1:9", "--region", "eu-1");
        assertThat(options.location())
                .contains(new S3Store.Location("cold", "cell-1/", "eu-1", URI.create("http://127.0.0.1:9"), "", ""));
        // The copies of a bucket's checkpoints are not the local stack's.
        assertThat(options.checkpoints(Path.of("here"))).isEmpty();
        line.parseArgs("--checkpoints", "there");
        assertThat(options.location()).isEmpty();
        assertThat(options.checkpoints(Path.of("here"))).contains(Path.of("there"));
    }

    @Test
    void shouldPrintWhatAVerdictSaysBesides() {
        assertThat(command.execute(() -> new Verdict.Verified(List.of(), List.of("the record is acme/s-1"))))
                .isZero();
        assertThat(out.toString()).contains("the record is acme/s-1");
        assertThat(command.execute(() -> new Verdict.Tampered(3, 7, "acme/s-1 epoch 1 seq 2", "changed")))
                .isEqualTo(1);
        assertThat(out.toString()).contains("shard 3, segment 7, first bad identity: acme/s-1 epoch 1 seq 2");
    }
}
