package io.sallyport.local.cli;

import com.google.protobuf.util.JsonFormat;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.verify.LogVerifier;
import io.sallyport.export.verify.Pin;
import io.sallyport.export.verify.Prover;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.local.stack.StackException;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "prove",
        description = {
            "Writes the proof that one event stands in the record, for whoever has a pin and not the log.",
            "It can be checked against the checkpoints of the last minutes, and against any that --pin names."
        })
final class ProveCommand extends KafkaCommand {
    @Mixin
    private final KeyOption keyOption = new KeyOption();

    @Option(names = "--customer", paramLabel = "C", required = true, description = "whose event")
    private String customer = "";

    @Option(names = "--sensor", paramLabel = "S", required = true, description = "which sensor's")
    private String sensor = "";

    @Option(names = "--epoch", paramLabel = "E", required = true, description = "the event's epoch")
    private String epoch = "";

    @Option(names = "--seq", paramLabel = "N", required = true, description = "the event's seq")
    private String seq = "";

    @Option(names = "--pin", paramLabel = "FILE", description = "a pin that the proof has to reach")
    private @Nullable Path pin;

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "file to write")
    private Path file = Path.of("proof");

    @Override
    int execute() throws Exception {
        SensorKey key = SensorKey.of(customer, sensor)
                .orElseThrow(() -> usage("--customer and --sensor must be ids, of letters, digits, '.', '_' and '-'"));
        var known = new ArrayList<Checkpoint>();
        Optional<NoteKey> given = keyOption.given();
        if (pin != null) {
            Pin pinned = Pin.parse(Files.readString(pin));
            known.add(pinned.checkpoint());
            given = Optional.of(pinned.key());
        }
        try (var log = new CheckpointLog(kafka(), checkpointKey(given));
                var shards = new LogShards(kafka())) {
            int shard = ShardMap.initial(shards.count()).shardOf(key, 0);
            log.catchUp();
            CheckpointLog.Signed newest = log.latest().orElseThrow(() -> new StackException("nothing was signed yet"));
            log.history().forEach(signed -> known.add(signed.checkpoint()));
            LogVerifier.Shard read = shards.shard(shard);
            StructuredRecord record = find(read)
                    .orElseThrow(() -> new StackException(
                            "there is no event %s epoch %s seq %s in the record".formatted(key, epoch, seq)));
            RecordProof proof = Prover.prove(
                            record,
                            segments(read, newest.checkpoint(), record),
                            newest.checkpoint(),
                            newest.note(),
                            known)
                    .orElseThrow(() -> new StackException(
                            "no checkpoint covers the event yet; it does a moment after it was committed"));
            Files.writeString(file, JsonFormat.printer().print(proof));
            out().printf(
                            "shard %d, segment %d, pos %d%n",
                            shard,
                            proof.getSegment().getIndex(),
                            record.getEvent().getOrigin().getPos());
            return DONE;
        }
    }

    private Optional<StructuredRecord> find(LogVerifier.Shard shard) {
        int wantedEpoch = unsignedInt(epoch);
        long wantedSeq = unsignedLong(seq);
        while (shard.records().hasNext()) {
            StructuredRecord record = shard.records().next();
            if (Prover.isEvent(record, customer, sensor, wantedEpoch, wantedSeq)) {
                return Optional.of(record);
            }
        }
        return Optional.empty();
    }

    private static List<ProofSegment> segments(
            LogVerifier.Shard shard, Checkpoint checkpoint, StructuredRecord record) {
        var origin = record.getEvent().getOrigin();
        var key = new TreeKey(checkpoint.origin(), origin.getShard(), origin.getGeneration());
        var segments = new ArrayList<ProofSegment>();
        while (shard.segments().hasNext()) {
            ProofSegment segment = shard.segments().next();
            if (segment.getGeneration() == key.generation()) {
                boolean covers = origin.getPos() >= segment.getFirstPos()
                        && origin.getPos() < segment.getFirstPos() + segment.getCount();
                // Of the others only their place in the tree is needed.
                segments.add(
                        covers
                                ? segment
                                : segment.toBuilder()
                                        .clearLeaves()
                                        .clearOwners()
                                        .build());
            }
        }
        return segments;
    }

    private int unsignedInt(String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw usage("--epoch must be a number");
        }
    }

    private long unsignedLong(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw usage("--seq must be a number");
        }
    }
}
