package io.sallyport.export.config;

import io.sallyport.export.checkpoint.kafka.CheckpointLog;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the newest committed checkpoint as the signed note that it is. */
@RestController
@ConditionalOnProperty("sallyport.export.checkpoint.key-file")
final class ProofStateController {
    private final PublishedCheckpoints published;

    ProofStateController(PublishedCheckpoints published) {
        this.published = published;
    }

    /** 200 with the note; 404 before the first one. */
    @GetMapping(path = "/v1/proof/state", produces = MediaType.TEXT_PLAIN_VALUE)
    ResponseEntity<String> state() {
        return published
                .latest()
                .map(CheckpointLog.Signed::note)
                .map(note ->
                        ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(note))
                .orElseGet(() -> ResponseEntity.notFound().build());
    }
}
