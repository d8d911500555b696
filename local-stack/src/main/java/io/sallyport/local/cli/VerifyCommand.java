package io.sallyport.local.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.verify.ExportVerifier;
import io.sallyport.export.verify.LogVerifier;
import io.sallyport.export.verify.Pin;
import io.sallyport.export.verify.ProofVerifier;
import io.sallyport.export.verify.Verdict;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.local.stack.PlainReason;
import io.sallyport.proto.log.v1.RecordProof;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
        name = "verify",
        description = {
            "Checks that the record is what was committed.",
            "Exit codes: 0 verified, 1 tampered, 3 consistent but unanchored, 2 it could not be checked."
        })
final class VerifyCommand extends KafkaCommand {
    private static final int NOT_CHECKED = 2;

    @Mixin
    private final JsonOption json = new JsonOption();

    @Mixin
    private final KeyOption keyOption = new KeyOption();

    @Mixin
    private final StoreOptions.WithCheckpoints storeOptions = new StoreOptions.WithCheckpoints();

    @ArgGroup(multiplicity = "1")
    private What what = new What();

    @Option(
            names = "--pin",
            paramLabel = "FILE",
            description =
                    "key and checkpoint from outside, as ./sallyport checkpoint writes them; without it nothing is"
                            + " anchored")
    private @Nullable Path pinFile;

    static final class What {
        @Option(names = "--from-log", description = "what stands in Kafka")
        private boolean log;

        @Option(
                names = "--from-export",
                description = "what stands in the exported files, in a folder or a bucket; no stack need run")
        private boolean export;

        @Option(names = "--proof", paramLabel = "FILE", description = "the proof of one record, without the log")
        private @Nullable Path proof;
    }

    @Override
    int execute() {
        return execute(() -> {
            Optional<Pin> pin = pin();
            return what.export ? export(pin) : what.proof == null ? log(pin) : proof(what.proof, pin);
        });
    }

    /** Whatever keeps a verification from coming to its end says nothing about the record: 1 would say that it was changed. */
    int execute(Callable<Verdict> verification) {
        try {
            Verdict verdict = verification.call();
            show(verdict);
            return verdict.exit();
        } catch (ParameterException e) {
            throw e;
        } catch (Exception | OutOfMemoryError | StackOverflowError e) {
            err().println("sallyport: it could not be checked: " + reason(e));
            if (verbose()) {
                e.printStackTrace(err());
            }
            err().flush();
            return NOT_CHECKED;
        }
    }

    private static String reason(Throwable failure) {
        return failure instanceof OutOfMemoryError ? "there is not enough memory" : PlainReason.of(failure);
    }

    private Optional<Pin> pin() throws IOException {
        return pinFile == null ? Optional.empty() : Optional.of(Pin.parse(Files.readString(pinFile)));
    }

    private Verdict log(Optional<Pin> pin) throws Exception {
        // Without a pin the stack's own key only helps to read; it vouches for nothing.
        NoteKey key = checkpointKey(pin.map(Pin::key).or(keyOption::given));
        try (var checkpoints = new CheckpointLog(kafka(), key);
                var shards = new LogShards(kafka())) {
            checkpoints.catchUp();
            Optional<Checkpoint> newest = checkpoints.latest().map(CheckpointLog.Signed::checkpoint);
            return new LogVerifier(key.name(), pin, newest, checkpoints::trim).verify(shards);
        }
    }

    private Verdict export(Optional<Pin> pin) throws Exception {
        Optional<NoteKey> given = pin.map(Pin::key).or(keyOption::given);
        NoteKey key = given.isPresent() ? given.get() : ProofState.key(credentials());
        Optional<Path> copies = storeOptions.checkpoints(data().checkpoints());
        Optional<Checkpoint> newest =
                copies.isPresent() ? new CheckpointCopies(copies.get()).newest(key) : Optional.empty();
        Path scratch = Files.createTempDirectory("sallyport-verify");
        try (var store = storeOptions.open(data().export())) {
            return new ExportVerifier(store, scratch, key.name(), pin, newest).verify();
        } finally {
            Files.deleteIfExists(scratch);
        }
    }

    private static Verdict proof(Path file, Optional<Pin> pin) throws IOException {
        var proof = RecordProof.newBuilder();
        try {
            JsonFormat.parser().merge(Files.readString(file), proof);
        } catch (InvalidProtocolBufferException e) {
            return new Verdict.Tampered(-1, -1, "", file + " holds no proof");
        }
        return pin.isPresent()
                ? ProofVerifier.verify(proof.build(), pin.get())
                : new Verdict.Unanchored(List.of(), "no checkpoint from outside was given");
    }

    private void show(Verdict verdict) {
        if (json.wanted()) {
            out().println(JSON.writeValueAsString(VerdictJson.of(verdict)));
            return;
        }
        if (verdict instanceof Verdict.Tampered tampered) {
            out().printf("TAMPERED: %s%n", tampered.why());
            out().printf(
                            "shard %s, segment %s, first bad identity: %s%n",
                            tampered.shard() < 0 ? "unknown" : tampered.shard(),
                            tampered.segment() < 0 ? "unknown" : tampered.segment(),
                            tampered.identity().isEmpty() ? "unknown" : tampered.identity());
            return;
        }
        List<Verdict.ShardReport> shards = List.of();
        List<String> notes = List.of();
        if (verdict instanceof Verdict.Verified verified) {
            shards = verified.shards();
            notes = verified.notes();
        } else if (verdict instanceof Verdict.Unanchored unanchored) {
            shards = unanchored.shards();
            notes = unanchored.notes();
        }
        out().println(
                        verdict instanceof Verdict.Unanchored unanchored
                                ? "consistent, but unanchored: " + unanchored.why()
                                : "verified");
        for (Verdict.ShardReport shard : shards) {
            out().printf(
                            "shard %d generation %d: %d segments, verified from pos %d to %d%s%n",
                            shard.shard(),
                            shard.generation(),
                            shard.segments(),
                            shard.fromPos(),
                            shard.toPos(),
                            shard.uncovered() == 0 ? "" : ", " + shard.uncovered() + " records not yet covered");
        }
        notes.forEach(out()::println);
    }
}
