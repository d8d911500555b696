package io.sallyport.local.cli;

import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.local.stack.HealthProbe;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the commands have in common that need Kafka and nothing else: they work on a local stack, and on any cell. */
abstract class KafkaCommand extends Action {
    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT[,…]",
            converter = Values.Brokers.class,
            description = "brokers of a cell that is no local stack (default: those of the stack in --data)")
    private @Nullable String brokers;

    /** Brokers that take connections. */
    final String kafka() throws IOException {
        String cell = brokers;
        if (cell == null) {
            return stackKafka();
        }
        if (Arrays.stream(cell.split(",")).noneMatch(HealthProbe::accepts)) {
            throw new StackException("Kafka at " + cell + " does not answer");
        }
        return cell;
    }

    final boolean isCell() {
        return brokers != null;
    }

    /**
     * The public key that signs the checkpoints.
     *
     * @param given by the user; without it a local stack's own is taken, which a cell has not
     */
    final NoteKey checkpointKey(Optional<NoteKey> given) throws IOException, GeneralSecurityException {
        if (given.isPresent()) {
            return given.get();
        }
        if (isCell()) {
            throw usage("with --kafka the cell's public key is needed: --pin, or --key");
        }
        return ProofState.key(credentials());
    }

    /** Of the commands that read signed checkpoints. */
    static final class KeyOption {
        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "public key of a cell that is no local stack, as cold-export logs it at its start and the"
                        + " first line of a pin has it")
        private @Nullable String text;

        /** @throws IllegalArgumentException where it is no key */
        Optional<NoteKey> given() {
            return Optional.ofNullable(text).map(NoteKey::parse);
        }
    }
}
