package io.sallyport.local.cli;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.verify.Pin;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(
        name = "export",
        description = {
            "Closes and commits what waits for its file. The files are in the data folder, under export.",
            "What no segment of the proof covers yet is not exported yet; it is reported."
        })
final class ExportCommand extends Action {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int AGAIN_MS = 200;

    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(names = "--now", description = "return only when a checkpoint covers what was committed")
    private boolean now;

    @Override
    int execute() throws Exception {
        Endpoints endpoints = endpoints();
        JsonNode result = request(endpoints);
        if (now) {
            awaitCheckpoint(new ProofState(endpoints, credentials()));
        }
        out().println(json.wanted() ? JSON.writeValueAsString(result) : "exported: " + result);
        return DONE;
    }

    private static JsonNode request(Endpoints endpoints) throws IOException, InterruptedException {
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
        return JSON.readTree(answer.body());
    }

    /** The manifests may go on growing meanwhile: any checkpoint over a head that is not older will do. */
    private void awaitCheckpoint(ProofState state) throws IOException, InterruptedException {
        var store = new LocalStore(data().export());
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var heads = ManifestHeads.read(store, TopicSizing.LOCAL.shardsMax());
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
