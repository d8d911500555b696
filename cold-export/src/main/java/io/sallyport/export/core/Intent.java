package io.sallyport.export.core;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the next version of a shard's manifest will do. It is claimed by a conditional write before any file is made, and
 * whoever finds it open finishes it unchanged; so each range has one outcome, whoever dies on the way.
 *
 * @param previous SHA-256 of the manifest before, in hexadecimal; {@link Manifest#GENESIS} for version 0
 * @param atUs when it was claimed
 * @param from where the shard stood
 * @param to where it stands afterwards; the same but for an export
 * @param inputs files that this version takes away
 * @param subject the date of a compaction, the customer of an erasure, the first date that a trim keeps; otherwise empty
 */
public record Intent(
        ManifestKind kind,
        String cell,
        int shard,
        long version,
        String previous,
        long atUs,
        Position from,
        Position to,
        List<FileEntry> inputs,
        String subject) {
    private static final Pattern FILE = Pattern.compile("/s(\\d{5,9})-v(\\d{12,18})-\\d{4,}\\.parquet$");

    public Intent {
        inputs = List.copyOf(inputs);
    }

    /**
     * Name of a file of this intent.
     *
     * @param current whether its rows are
     */
    public String file(boolean current, String customerId, String date, int part) {
        String folder = current ? PartitionPath.of(customerId, date) : PartitionPath.ofVoid(customerId, date);
        return folder + "s%05d-v%012d-%04d.parquet".formatted(shard, version, part);
    }

    /** Version that made a file, by its name; empty where it is not a file of this shard. */
    public static OptionalLong versionOf(int shard, String path) {
        Matcher name = FILE.matcher(path);
        return name.find() && Integer.parseInt(name.group(1)) == shard
                ? OptionalLong.of(Long.parseLong(name.group(2)))
                : OptionalLong.empty();
    }

    /** Shard whose version made a file, by its name; empty where it is no file of rows. */
    public static OptionalInt shardOf(String path) {
        Matcher name = FILE.matcher(path);
        return name.find() ? OptionalInt.of(Integer.parseInt(name.group(1))) : OptionalInt.empty();
    }

    /** Name of the file with the segments and leaf hashes of an export. */
    public String proofFile() {
        return "_proof/shard=%05d/%020d.segments".formatted(shard, version);
    }

    /** Whether a row lies between {@code from} and {@code to}. */
    public boolean contains(long generation, long pos) {
        return pos >= from.tree(generation).nextPos()
                && pos < to.tree(generation).nextPos();
    }
}
