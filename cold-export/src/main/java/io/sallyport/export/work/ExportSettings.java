package io.sallyport.export.work;

import io.sallyport.export.core.Rotation;
import java.nio.file.Path;

/**
 * What the work on every shard shares.
 *
 * @param cell its name stands in every manifest
 * @param scratch folder on the local disk; it may be lost at any time
 * @param rotation when a range is cut
 * @param fileBytes size of a file where there is enough to write
 */
public record ExportSettings(String cell, Path scratch, Rotation rotation, long fileBytes) {}
