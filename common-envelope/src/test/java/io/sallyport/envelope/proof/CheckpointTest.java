package io.sallyport.envelope.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.proof.Checkpoint.Hash;
import io.sallyport.envelope.proof.Checkpoint.TreeState;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    private static final KeyPair PAIR = pair();
    private static final NoteKey KEY = NoteKey.of("cell-1", PAIR.getPublic());

    private final Checkpoint checkpoint = checkpoint(5, "root");

    @Test
    void shouldBeReadBackFromItsSignedForm() {
        String note = SignedNote.sign(checkpoint.text(), KEY, PAIR.getPrivate());
        assertThat(SignedNote.open(note, NoteKey.parse(KEY.toString())).flatMap(Checkpoint::parse))
                .contains(checkpoint);
        assertThat(checkpoint.text().lines())
                .startsWith("cell-1", "6")
                .anyMatch(line -> line.startsWith("tree 0 0 5 "));
    }

    /** A note and key that the C2SP specification's authors publish with their implementation. */
    @Test
    void shouldReadAPublishedNote() {
        var key = NoteKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
        String text = """
                If you think cryptography is the answer to your problem,
                then you don't know what your problem is.
                """;
        String note = text
                + "\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assertThat(SignedNote.open(note, key)).contains(text);
        assertThat(SignedNote.open(note.replace("your problem is", "your problem was"), key))
                .isEmpty();
    }

    @Test
    void shouldNotOpenAnythingThatWasChanged() {
        String note = SignedNote.sign(checkpoint.text(), KEY, PAIR.getPrivate());
        for (int i = 0; i < note.length() - 1; i++) {
            char changed = note.charAt(i) == 'A' ? 'B' : 'A';
            String forged = note.substring(0, i) + changed + note.substring(i + 1);
            assertThat(SignedNote.open(forged, KEY)
                            .flatMap(Checkpoint::parse)
                            .filter(other -> !other.equals(checkpoint)))
                    .as("character %d", i)
                    .isEmpty();
        }
        assertThat(SignedNote.open(note, NoteKey.of("cell-1", pair().getPublic())))
                .isEmpty();
        assertThat(SignedNote.open(note, NoteKey.of("cell-2", PAIR.getPublic())))
                .isEmpty();
        assertThat(SignedNote.open("", KEY)).isEmpty();
        assertThat(SignedNote.open(note + "\n", KEY)).isEmpty();
    }

    @Test
    void shouldHaveOneWayToWriteIt() {
        String text = checkpoint.text();
        assertThat(Checkpoint.parse(text)).contains(checkpoint);
        for (String other : new String[] {
            text.replace("tree 0 0 5", "tree 00 0 5"),
            text.replace("tree 0 0 5", "tree 0 0 6"),
            text.replace("\n6\n", "\n7\n"),
            text.replace("\n6\n", "\n06\n"),
            text + "more\n",
            text.stripTrailing(),
            text.replace("tree 0", "tree -1"),
            "",
            "cell-1\n0\n"
        }) {
            assertThat(Checkpoint.parse(other)).as(other).isEmpty();
        }
    }

    @Test
    void shouldSayWhatDoesNotFollowIt() {
        assertThat(checkpoint.conflict(checkpoint)).isEmpty();
        assertThat(checkpoint.conflict(checkpoint(9, "later"))).isEmpty();
        assertThat(checkpoint.conflict(checkpoint(3, "earlier")))
                .contains("shard 0 generation 0: expected at least 5 segments, found 3");
        assertThat(checkpoint.conflict(checkpoint(5, "fork")))
                .contains("shard 0 generation 0 has another root at 5 segments");
        var bare = new Checkpoint("cell-1", checkpoint.trees(), Optional.empty());
        assertThat(checkpoint.conflict(bare)).contains("the head of the manifests is missing");
        assertThat(bare.conflict(checkpoint)).isEmpty();
        assertThat(checkpoint.conflict(new Checkpoint("cell-1", new TreeMap<>(), Optional.empty())))
                .contains("shard 0 generation 0 is missing");
        assertThat(checkpoint.conflict(new Checkpoint("cell-2", new TreeMap<>(), Optional.empty())))
                .contains("origin cell-2 instead of cell-1");
    }

    @Test
    void shouldRefuseKeysAndTextsThatAreNone() {
        assertThatThrownBy(() -> NoteKey.parse("a+b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NoteKey.parse(KEY.toString().replace("cell-1", "cell-2")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SignedNote.sign("no newline", KEY, PAIR.getPrivate()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SignedNote.sign("text\n", KEY, pair().getPrivate()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Checkpoint checkpoint(long size, String seed) {
        var hash = new TreeHash();
        return new Checkpoint(
                "cell-1",
                new TreeMap<>(Map.of(
                        new TreeKey("cell-1", 0, 0),
                        new TreeState(size, new Hash(hash.leaf(seed.getBytes()))),
                        new TreeKey("cell-1", 10, 0),
                        new TreeState(1, new Hash(hash.leaf("other".getBytes()))))),
                Optional.of(new Hash(hash.empty())));
    }

    private static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
