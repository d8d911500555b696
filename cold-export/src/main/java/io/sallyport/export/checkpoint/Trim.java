package io.sallyport.export.checkpoint;

import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import io.sallyport.envelope.proof.TreeKey;
import java.security.PrivateKey;
import java.util.List;
import java.util.Optional;

/**
 * A signed statement that retention took the beginning of a shard: records below {@code firstPos} of one generation are
 * gone from `structured`, and were old enough for that.
 *
 * <pre>
 * origin
 * trim structured
 * shard SHARD generation GENERATION first-pos POS
 * </pre>
 */
public record Trim(TreeKey tree, long firstPos) {
    private static final String WHAT = "trim structured";

    /** The later of two statements on one tree; what was taken does not come back. */
    public Trim later(Trim other) {
        return other.firstPos > firstPos ? other : this;
    }

    /** The statement as a signed note. */
    public String sign(NoteKey key, PrivateKey privateKey) {
        return SignedNote.sign(text(), key, privateKey);
    }

    private String text() {
        return "%s\n%s\nshard %s generation %s first-pos %d\n"
                .formatted(
                        tree.cell(),
                        WHAT,
                        Integer.toUnsignedString(tree.shard()),
                        Integer.toUnsignedString(tree.generation()),
                        firstPos);
    }

    /** Reads a statement; empty where it is none, or not signed by {@code key}. */
    public static Optional<Trim> open(String note, NoteKey key) {
        return SignedNote.open(note, key).flatMap(text -> {
            List<String> lines = text.lines().toList();
            String[] fields = lines.size() == 3 ? lines.get(2).split(" ", -1) : new String[0];
            if (fields.length != 6) {
                return Optional.empty();
            }
            try {
                var tree = new TreeKey(
                        lines.get(0), Integer.parseUnsignedInt(fields[1]), Integer.parseUnsignedInt(fields[3]));
                // There is one way to write a statement.
                return Optional.of(new Trim(tree, Long.parseLong(fields[5])))
                        .filter(trim -> trim.text().equals(text));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        });
    }
}
