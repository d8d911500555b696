package io.sallyport.local.cli;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.export.checkpoint.SigningKey;
import io.sallyport.export.verify.Pin;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Optional;

/** The newest checkpoint of a running stack, as its export serves it. */
final class ProofState {
    /** The stack's cell: the default of every service. */
    static final String CELL = "local";

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int AGAIN_MS = 200;
    private static final int NOT_FOUND = 404;

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI uri;
    private final NoteKey key;

    ProofState(Endpoints endpoints, CredentialFolder credentials) throws IOException {
        uri = URI.create("http://" + endpoints.management(Endpoints.COLD_EXPORT) + "/v1/proof/state");
        key = key(credentials);
    }

    /** The cell's public key. */
    static NoteKey key(CredentialFolder credentials) throws IOException {
        Path file = credentials.checkpointKey();
        try {
            Optional<PublicKey> alone = credentials.checkpointPublicKey();
            return alone.isPresent()
                    ? NoteKey.of(CELL, alone.get())
                    : SigningKey.read(CELL, file).note();
        } catch (NoSuchFileException e) {
            throw new StackException("there is no " + file + "; the next ./sallyport up makes it", e);
        }
    }

    /** Key and newest checkpoint; waits a moment for the first one of a new stack. */
    Pin pin() throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        Optional<Pin> pin = newest();
        while (pin.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
            Thread.sleep(AGAIN_MS);
            pin = newest();
        }
        return pin.orElseThrow(() -> new StackException("nothing was signed yet; see " + Endpoints.COLD_EXPORT));
    }

    /** Key and newest checkpoint; empty before the first one. */
    Optional<Pin> newest() throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == NOT_FOUND) {
            return Optional.empty();
        }
        if (answer.statusCode() != 200) {
            throw new StackException(uri + " answers " + answer.statusCode());
        }
        Checkpoint checkpoint = SignedNote.open(answer.body(), key)
                .flatMap(Checkpoint::parse)
                .orElseThrow(() -> new StackException(uri + " serves a checkpoint that the stack's key did not sign"));
        return Optional.of(new Pin(key, checkpoint, answer.body()));
    }
}
