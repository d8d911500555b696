package io.sallyport.local.cli;

import io.sallyport.export.verify.Pin;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "checkpoint",
        description = {
            "Writes a pin: the public key of the proof and the newest signed checkpoint.",
            "Keep it away from the stack: what is verified later is verified against it."
        })
final class CheckpointCommand extends Action {
    @Option(names = "--out", paramLabel = "FILE", required = true, description = "file to write")
    private Path file = Path.of("pin");

    @Override
    int execute() throws Exception {
        Pin pin = new ProofState(endpoints(), credentials()).pin();
        Files.writeString(file, pin.text());
        out().printf("checkpoint over %d segments, key %s%n", pin.checkpoint().size(), pin.key());
        return DONE;
    }
}
