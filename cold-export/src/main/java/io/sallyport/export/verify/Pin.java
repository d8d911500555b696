package io.sallyport.export.verify;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import java.util.Optional;

/**
 * What a verifier brings along from outside the store: the cell's public key and a checkpoint that it signed. As a file: the
 * key in the form of signed notes, an empty line, the checkpoint's note.
 */
public record Pin(NoteKey key, Checkpoint checkpoint, String note) {
    private static final String SEPARATOR = "\n\n";

    /** The text of the file. */
    public String text() {
        return key + SEPARATOR + note;
    }

    /** @throws IllegalArgumentException where the text is no pin, or its checkpoint is not signed by its key */
    public static Pin parse(String text) {
        int end = text.indexOf(SEPARATOR);
        if (end < 0) {
            throw new IllegalArgumentException("not a pin: a key, an empty line and a checkpoint are expected");
        }
        NoteKey key = NoteKey.parse(text.substring(0, end).strip());
        String note = text.substring(end + SEPARATOR.length());
        Optional<Checkpoint> checkpoint = SignedNote.open(note, key)
                .flatMap(Checkpoint::parse)
                .filter(found -> found.origin().equals(key.name()));
        return new Pin(
                key,
                checkpoint.orElseThrow(
                        () -> new IllegalArgumentException("the pin's checkpoint is not signed by the pin's key")),
                note);
    }
}
