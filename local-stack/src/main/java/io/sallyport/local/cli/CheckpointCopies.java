package io.sallyport.local.cli;

import io.sallyport.envelope.proof.Checkpoint;
import io.sallyport.envelope.proof.NoteKey;
import io.sallyport.envelope.proof.SignedNote;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The copies that the export makes of each checkpoint: whoever made them, their signatures count. */
final class CheckpointCopies {
    private static final String SUFFIX = ".checkpoint";

    private final Path folder;

    private record Copy(Checkpoint checkpoint, FileTime at) {}

    CheckpointCopies(Path folder) {
        this.folder = folder;
    }

    /**
     * The newest one that the key signed; empty where there is none. A name begins with the number of segments, which only
     * grows, so that of all the files hardly more than one is opened.
     */
    Optional<Checkpoint> newest(NoteKey key) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        var bySize = new TreeMap<String, List<Path>>(Comparator.reverseOrder());
        try (var copies = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path copy : copies) {
                String size = copy.getFileName().toString().split("-", 2)[0];
                bySize.computeIfAbsent(size, same -> new ArrayList<>()).add(copy);
            }
        }
        for (List<Path> same : bySize.values()) {
            var found = new ArrayList<Copy>();
            for (Path copy : same) {
                FileTime at = Files.getLastModifiedTime(copy);
                SignedNote.open(Files.readString(copy), key)
                        .flatMap(Checkpoint::parse)
                        .ifPresent(checkpoint -> found.add(new Copy(checkpoint, at)));
            }
            if (!found.isEmpty()) {
                // The log may stand still while the export goes on: of one size the later copy.
                return found.stream().max(Comparator.comparing(Copy::at)).map(Copy::checkpoint);
            }
        }
        return Optional.empty();
    }
}
