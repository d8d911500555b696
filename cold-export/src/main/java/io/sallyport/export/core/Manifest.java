package io.sallyport.export.core;

import java.util.List;

/**
 * One version of what a shard's export holds. Each names the SHA-256 of the one before, so that the last one stands for
 * all of them.
 *
 * @param previous SHA-256 of the manifest before, in hexadecimal; {@link #GENESIS} for version 0
 * @param intent SHA-256 of the intent that this version finished, in hexadecimal
 * @param atUs that of the intent: two workers that finish one intent write the same bytes
 * @param segments what an export covers
 * @param rows in {@code added}
 * @param missing rows that the segments cover and the log no longer had: overrun by retention, which takes what stands first
 * @param holes rows that the segments cover and the log did not have, from among others: retention does not do that
 * @param added files that came
 * @param removed files that went; they are deleted after this version is there
 * @param proof segments and leaf hashes of an export, as a file; for other kinds its path is empty
 * @param position where the shard stands after this version
 * @param statement for a trim, an erasure or a version that was given up, what is stated; otherwise empty
 */
public record Manifest(
        ManifestKind kind,
        String cell,
        int shard,
        long version,
        String previous,
        String intent,
        long atUs,
        List<Span> segments,
        long rows,
        List<PosRange> missing,
        List<PosRange> holes,
        List<FileEntry> added,
        List<FileEntry> removed,
        ProofFile proof,
        Position position,
        String statement) {
    /** What version 0 names as the one before. */
    public static final String GENESIS = "0".repeat(64);

    /**
     * A file of `ProofSegment` messages, each with its length as a varint before it.
     *
     * @param sha256 in hexadecimal
     */
    public record ProofFile(String path, long size, String sha256) {
        public static final ProofFile NONE = new ProofFile("", 0, "");
    }

    public Manifest {
        segments = List.copyOf(segments);
        missing = List.copyOf(missing);
        holes = List.copyOf(holes);
        added = List.copyOf(added);
        removed = List.copyOf(removed);
    }
}
