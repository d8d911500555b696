package io.sallyport.export.core;

/**
 * A file of rows.
 *
 * @param path below the export's root
 * @param customer whose rows; empty for rows of no customer
 * @param date ingest date in UTC, {@code YYYY-MM-DD}
 * @param size in bytes
 * @param sha256 of its bytes, in lower-case hexadecimal
 */
public record FileEntry(String path, String customer, String date, long rows, long size, String sha256) {
    /** Whether its rows are not current. */
    public boolean holdsVoid() {
        return path.startsWith(PartitionPath.VOID_ROOT);
    }
}
