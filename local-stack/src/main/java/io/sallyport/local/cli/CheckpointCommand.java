package io.sallyport.local.cli;

import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.verify.Pin;
import io.sallyport.local.stack.StackException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "checkpoint",
        description = {
            "Writes a pin: the public key of the proof and the newest signed checkpoint.",
            "Keep it away from the stack: what is verified later is verified against it."
        })
final class CheckpointCommand extends KafkaCommand {
    @Mixin
    private final KeyOption key = new KeyOption();

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "file to write")
    private Path file = Path.of("pin");

    @Override
    int execute() throws Exception {
        Pin pin = isCell() ? fromLog() : new ProofState(endpoints(), credentials()).pin();
        Files.writeString(file, pin.text());
        out().printf("checkpoint over %d segments, key %s%n", pin.checkpoint().size(), pin.key());
        return DONE;
    }

    private Pin fromLog() throws Exception {
        NoteKey trusted = checkpointKey(key.given());
        try (var checkpoints = CheckpointLog.newest(kafka(), trusted)) {
            checkpoints.catchUp();
            return checkpoints
                    .latest()
                    .map(newest -> new Pin(trusted, newest.checkpoint(), newest.note()))
                    .orElseThrow(() -> new StackException("nothing in the cell's log is signed by " + trusted));
        }
    }
}
