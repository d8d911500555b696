package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointCopiesTest {
    @TempDir
    private Path folder;

    private final KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    private final NoteKey key = NoteKey.of("local", pair.getPublic());

    CheckpointCopiesTest() throws Exception {}

    private Checkpoint copy(long size, int manifests, long atMs) throws Exception {
        var trees = new TreeMap<>(Map.of(new TreeKey("local", 0, 0), new TreeState(size, new Hash(new byte[32]))));
        var head = new byte[32];
        head[0] = (byte) manifests;
        var checkpoint = new Checkpoint("local", trees, Optional.of(new Hash(head)));
        Path file = folder.resolve("%019d-%08x.checkpoint".formatted(size, manifests));
        Files.writeString(file, SignedNote.sign(checkpoint.text(), key, pair.getPrivate()));
        Files.setLastModifiedTime(file, FileTime.fromMillis(atMs));
        return checkpoint;
    }

    @Test
    void shouldFindTheNewestThatTheKeySigned() throws Exception {
        assertThat(new CheckpointCopies(folder).newest(key)).isEmpty();
        copy(9, 1, 9_000);
        copy(12, 1, 3_000);
        Checkpoint newest = copy(12, 2, 4_000);
        copy(12, 3, 2_000);
        Files.writeString(folder.resolve("%019d-00.checkpoint".formatted(99)), "not signed");
        Files.writeString(folder.resolve("x.checkpoint"), "not signed");
        assertThat(new CheckpointCopies(folder).newest(key)).contains(newest);
        assertThat(new CheckpointCopies(folder.resolve("none")).newest(key)).isEmpty();
    }
}
