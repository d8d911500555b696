package io.sallyport.local.cli;

import com.google.protobuf.util.JsonFormat;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.generation.KnownGenerations;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.TreeKey;
import io.sallyport.envelope.routing.ShardMap;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import io.sallyport.export.verify.LogVerifier;
import io.sallyport.export.verify.Pin;
import io.sallyport.export.verify.Prover;
import io.sallyport.export.verify.RecordSearch;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.local.stack.StackException;
import io.sallyport.proto.log.v1.ProofSegment;
import io.sallyport.proto.log.v1.RecordProof;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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

    @Option(
            names = "--generation",
            paramLabel = "G",
            description = "the record of this generation, current or not (default: the current one)")
    private @Nullable String generation;

    @Option(names = "--pin", paramLabel = "FILE", description = "a pin that the proof has to reach")
    private @Nullable Path pin;

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "file to write")
    private Path file = Path.of("proof");

    @Override
    int execute() throws Exception {
        SensorKey key = SensorKey.of(customer, sensor)
                .orElseThrow(() -> usage("--customer and --sensor must be ids, of letters, digits, '.', '_' and '-'"));
        var identity = new RecordSearch.Identity(customer, sensor, unsignedInt(epoch), unsignedLong(seq));
        var known = new ArrayList<Checkpoint>();
        Optional<NoteKey> given = keyOption.given();
        if (pin != null) {
            Pin pinned = Pin.parse(Files.readString(pin));
            known.add(pinned.checkpoint());
            given = Optional.of(pinned.key());
        }
        try (var log = CheckpointLog.newest(kafka(), checkpointKey(given));
                var shards = new LogShards(kafka())) {
            log.catchUp();
            CheckpointLog.Signed newest = log.latest().orElseThrow(() -> new StackException("nothing was signed yet"));
            log.history().forEach(signed -> known.add(signed.checkpoint()));
            Found found = find(shards, key, identity)
                    .orElseThrow(() -> new StackException("there is no %sevent %s epoch %s seq %s in the record"
                            .formatted(generation == null ? "current " : "such ", key, epoch, seq)));
            StructuredRecord record = found.record();
            RecordProof proof = Prover.prove(
                            record,
                            segments(found.shard(), newest.checkpoint(), record),
                            newest.checkpoint(),
                            newest.note(),
                            known)
                    .orElseThrow(() -> new StackException(
                            "no checkpoint covers the event yet; it does a moment after it was committed"));
            Files.writeString(file, JsonFormat.printer().print(proof));
            out().printf(
                            "shard %d, generation %s, segment %d, pos %d%n",
                            found.shard().number(),
                            Integer.toUnsignedString(
                                    record.getEvent().getOrigin().getGeneration()),
                            proof.getSegment().getIndex(),
                            record.getEvent().getOrigin().getPos());
            return DONE;
        }
    }

    private record Found(LogVerifier.Shard shard, StructuredRecord record) {}

    /** The sensor's shard is looked through first; where the shard map has changed since, the event may be in another. */
    private Optional<Found> find(LogShards shards, SensorKey key, RecordSearch.Identity identity) throws IOException {
        OptionalLong wanted = generation == null
                ? OptionalLong.empty()
                : OptionalLong.of(Integer.toUnsignedLong(unsignedInt(generation)));
        KnownGenerations known = generations();
        int first = ShardMap.initial(shards.count()).shardOf(key, 0);
        for (int i = 0; i < shards.count(); i++) {
            LogVerifier.Shard shard = shards.shard((first + i) % shards.count());
            var search = new RecordSearch(identity, wanted, known.takeovers(shard.number()));
            shard.records().forEachRemaining(search::take);
            if (search.found().isPresent()) {
                return Optional.of(new Found(shard, search.found().get()));
            }
        }
        return Optional.empty();
    }

    /** What the topic says, of which the last record counts. */
    private KnownGenerations generations() throws IOException {
        KnownGenerations known = KnownGenerations.FIRST;
        try (var reader = new CommittedReader(kafka(), "sallyport-prove").fromBeginning(Topics.GENERATIONS.name())) {
            for (ConsumerRecord<byte[], byte[]> record : reader.toEnd()) {
                known = Optional.ofNullable(record.value())
                        .flatMap(KnownGenerations::parse)
                        .orElse(known);
            }
        }
        return known;
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
            throw usage("--epoch and --generation must be numbers");
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
