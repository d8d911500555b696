package io.sallyport.local.cli;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.manifest.CustomerFiles;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.manifest.RowsBeyond;
import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.verify.Pin;
import io.sallyport.export.verify.kafka.LogShards;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "export",
        description = {
            "Closes and commits what waits for its file. The files are in the data folder, under export, or in --bucket.",
            "It ends with 1 where a shard could not be exported. What no checkpoint covers yet is counted, and changes"
                    + " nothing:",
            "rows in files of newer versions, and rows that wait for their segment of the proof."
        },
        subcommands = ExportCommand.Files.class)
final class ExportCommand extends Action {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int AGAIN_MS = 200;

    @Mixin
    private final JsonOption json = new JsonOption();

    @Mixin
    private final StoreOptions storeOptions = new StoreOptions();

    @Option(names = "--now", description = "return only when a checkpoint covers what was committed")
    private boolean now;

    @Command(
            name = "list",
            description = {
                "The files that hold a customer's rows, by the manifests: what off-boarding has to erase.",
                "It needs the data folder, or the bucket, and no running stack."
            })
    static final class Files extends Action {
        @Mixin
        private final JsonOption json = new JsonOption();

        @Mixin
        private final StoreOptions storeOptions = new StoreOptions();

        @Option(names = "--customer", required = true, paramLabel = "ID", description = "whose files")
        private String customer = "";

        @Override
        int execute() throws Exception {
            if (!SensorKey.isValidId(customer)) {
                throw usage("--customer is no id of a customer");
            }
            Path folder = data().export();
            if (storeOptions.location().isEmpty() && !java.nio.file.Files.isDirectory(folder)) {
                throw new StackException("there is no export in " + folder);
            }
            CustomerFiles found;
            try (var store = storeOptions.open(folder)) {
                found = CustomerFiles.read(store, customer);
            }
            if (json.wanted()) {
                out().println(JSON.writeValueAsString(tree(found)));
                return DONE;
            }
            for (FileEntry file : found.files()) {
                out().printf("%s  %12d bytes  %9d rows  %s%n", file.date(), file.size(), file.rows(), file.path());
            }
            for (String path : found.others()) {
                out().println("in no manifest: " + path);
            }
            out().printf("%d files, %d bytes, %d rows%n", found.files().size(), found.bytes(), found.rows());
            return DONE;
        }

        private static Map<String, Object> tree(CustomerFiles found) {
            var tree = new LinkedHashMap<String, Object>();
            tree.put("customer", found.customer());
            tree.put("bytes", found.bytes());
            tree.put("rows", found.rows());
            tree.put("files", found.files());
            tree.put("others", found.others());
            return tree;
        }
    }

    @Override
    int execute() throws Exception {
        Endpoints endpoints = endpoints();
        ObjectNode result = request(endpoints);
        var state = new ProofState(endpoints, credentials());
        int unfinished = result.path("unfinished").asInt();
        long uncovered = result.path("waiting").asLong();
        try (var store = storeOptions.open(data().export())) {
            if (now && unfinished == 0) {
                awaitCheckpoint(store, state);
            }
            uncovered += RowsBeyond.count(
                    store,
                    state.newest().flatMap(pin -> pin.checkpoint().manifests()).map(Hash::bytes));
        }
        result.put("uncovered", uncovered);
        if (json.wanted()) {
            out().println(JSON.writeValueAsString(result));
        } else {
            out().printf(
                            "exported: %d rows in %d versions of %d shards%n",
                            result.path("rows").asLong(),
                            result.path("versions").asInt(),
                            result.path("shards").asInt());
            out().printf("not covered by a checkpoint yet: %d rows%n", uncovered);
        }
        if (unfinished > 0) {
            err().println(unfinished + " shards could not be exported: see the log of " + Endpoints.COLD_EXPORT);
            return FAILED;
        }
        return DONE;
    }

    private static ObjectNode request(Endpoints endpoints) throws IOException, InterruptedException {
        URI uri = URI.create("http://" + endpoints.management(Endpoints.COLD_EXPORT) + "/actuator/export");
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .timeout(PATIENCE)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new StackException(uri + " answers " + answer.statusCode());
        }
        return (ObjectNode) JSON.readTree(answer.body());
    }

    private int shards() throws IOException {
        try (var log = new LogShards(stackKafka())) {
            return log.count();
        }
    }

    /** The manifests may go on growing meanwhile: any checkpoint over a head that is not older will do. */
    private void awaitCheckpoint(ObjectStore store, ProofState state) throws IOException, InterruptedException {
        int shards = shards();
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var heads = ManifestHeads.read(store, shards);
            Pin pin = state.pin();
            if (heads.heads().isEmpty() || pin.checkpoint().manifests().equals(Optional.of(new Hash(heads.root())))) {
                return;
            }
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new StackException("no checkpoint covers the export within " + PATIENCE.toMinutes() + " minutes");
            }
            Thread.sleep(AGAIN_MS);
        }
    }
}
